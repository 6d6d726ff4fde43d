/** Imports go one way. The table is the rule; a file of `src` that breaks it, or has no room in it, fails here. */

import { readFile } from "node:fs/promises";
import { dirname, join, posix, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { globSync } from "tinyglobby";
import { beforeAll, describe, expect, it } from "vitest";
import { subpaths } from "./subpaths.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const src = join(root, "src");

/** What the files of a room may import beside each other: rooms | packages. The most specific room counts. */
const rooms: ReadonlyMap<string, string> = new Map([
  ["errors.ts", "|"],
  ["core", "errors.ts | zod @noble/hashes lru-cache safe-stable-stringify"],
  ["encoder", "errors.ts core | zod @noble/hashes lru-cache"],
  ["judges", "errors.ts core encoder | zod lru-cache p-map"],
  ["judges/openai", "errors.ts core judges | zod openai"],
  ["judges/langchain", "errors.ts core judges | zod @langchain/core"],
  ["tool-index", "errors.ts core encoder | zod lru-cache p-map"],
  [
    "tool-index/embedding",
    "errors.ts core encoder tool-index | zod lru-cache p-map @langchain/core",
  ],
  [
    "sinks",
    "errors.ts core postgres-client.ts | zod node @opentelemetry/api @opentelemetry/api-logs",
  ],
  ["node", "errors.ts core encoder | zod node"],
  ["postgres-client.ts", "errors.ts core | zod pg"],
  [
    "selector",
    "errors.ts core judges/judge.ts judges/local/local-judge.ts tool-index | zod lru-cache p-map",
  ],
  [
    "adapters",
    "errors.ts core tool-index selector | zod @langchain/core @langchain/langgraph langchain",
  ],
  ["report", "errors.ts core postgres-client.ts | zod node tinyglobby"],
  ["evaluation", "errors.ts core judges | zod p-map node"],
  ["cli", "errors.ts core judges selector report evaluation | zod node commander string-width"],
  ["testing", "errors.ts core adapters | @langchain/core vitest"],
]);

/** Entries may import every room. These load in any runtime, with these peers alone. */
const entries = ["index", ...subpaths.filter((path) => !path.startsWith("testing"))].map(
  (name) => `${name}.ts`,
);
const portable: readonly (readonly [entry: string, ...peers: string[]])[] = [
  ["index.ts"],
  ["jev.ts"],
  ["openai.ts"],
  ["models.ts", "@langchain/core"],
  ["langgraph.ts", "@langchain/core", "@langchain/langgraph"],
  ["langchain.ts", "@langchain/core", "@langchain/langgraph", "langchain"],
];

const staticImport = /^(?:import|export)\b[^;]*?\bfrom\s+"([\w@./:-]+)"|^import\s+"([\w@./:-]+)"/gm;
const dynamicImport = /\bimport\(\s*"([\w@./:-]+)"\s*\)/g;

const find = (code: string, pattern: RegExp): readonly string[] =>
  [...code.matchAll(pattern)].flatMap(([, from, bare]) => from ?? bare ?? []);

const isInside = (path: string, room: string): boolean =>
  path === room || path.startsWith(`${room}/`);
const roomOf = (path: string): string | undefined =>
  [...rooms.keys()]
    .filter((room) => isInside(path, room))
    .toSorted()
    .at(-1);

/** `./x.js` as a path below `src`; a package or `node` by its name. */
function resolve(file: string, specifier: string): string {
  if (specifier.startsWith(".")) {
    return posix.normalize(posix.join(dirname(file), specifier)).replace(/\.js$/, ".ts");
  }
  if (specifier.startsWith("node:")) return "node";
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}

/** The imports of a file that the table does not allow. */
function breaches(file: string, code: string): readonly string[] {
  if (entries.includes(file)) return [];
  const room = roomOf(file);
  if (room === undefined) return ["no room"];
  const [allowedRooms = [], packages = []] = (rooms.get(room) ?? "")
    .split("|")
    .map((names) => names.trim().split(" "));
  return [...find(code, staticImport), ...find(code, dynamicImport)].filter((specifier) => {
    const target = resolve(file, specifier);
    if (!specifier.startsWith(".")) return !packages.includes(target);
    const isOwn = isInside(target, room) || isInside(room, dirname(target));
    return !isOwn && !allowedRooms.some((allowed) => isInside(target, allowed));
  });
}

const files = new Map<string, string>();

beforeAll(async () => {
  const paths = globSync("**/*.ts", { cwd: src, ignore: ["encoder/kernel/assembly/**"] });
  for (const path of paths) {
    const code = await readFile(join(src, path), "utf8");
    // The weights are data, megabytes long.
    if (code.length < 1_000_000) files.set(relative(src, join(src, path)), code);
  }
});

/** Everything that a file loads at once, packages included. */
function reach(file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file)) return found;
  found.add(file);
  // What is imported as a type alone is gone when the file runs.
  const code = (files.get(file) ?? "").replace(/^(?:import|export) type\b[^;]*;/gm, "");
  for (const specifier of find(code, staticImport)) reach(resolve(file, specifier), found);
  return found;
}

it("every file of src keeps to its layer", () => {
  const broken = [...files].flatMap(([file, code]) =>
    breaches(file, code).map((specifier) => `${file} imports ${specifier}`),
  );
  expect(files.size).toBeGreaterThan(100);
  expect(broken).toEqual([]);
});

it.each(portable)("%s loads without Node.js and other packages", async (entry, ...peers) => {
  const { dependencies } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
    readonly dependencies: object;
  };
  const packages = [...reach(entry)].filter((path) => !path.endsWith(".ts"));
  const known = [...Object.keys(dependencies), ...peers];
  expect(packages.filter((name) => !known.includes(name))).toEqual([]);
});

describe("the table", () => {
  it.each([
    ["core/decide.ts", "../judges/judge.js"],
    ["core/decide.ts", "../selector/budget.js"],
    ["core/decide.ts", "node:crypto"],
    ["core/decide.ts", "@langchain/core/messages"],
    ["errors.ts", "./core/types.js"],
    ["encoder/encode.ts", "../judges/judge.js"],
    ["judges/jev/jev-judge.ts", "../../sinks/memory.js"],
    ["judges/jev/jev-judge.ts", "../../tool-index/tool-index.js"],
    ["judges/jev/jev-judge.ts", "@langchain/core/messages"],
    ["judges/local/engine.ts", "node:zlib"],
    ["sinks/jsonl.ts", "../judges/judge.js"],
    ["sinks/jsonl.ts", "../report/summarize.js"],
    ["tool-index/lexical.ts", "../judges/judge.js"],
    ["selector/tool-selector.ts", "../adapters/to-selector.js"],
    ["selector/tool-selector.ts", "../sinks/memory.js"],
    ["selector/tool-selector.ts", "node:timers"],
    ["selector/tool-selector.ts", "../judges/wrappers/caching.js"],
    ["adapters/to-selector.ts", "../report/summarize.js"],
    ["adapters/to-selector.ts", "../judges/judge.js"],
    ["report/summarize.ts", "../selector/budget.js"],
    ["testing/fake-judge.ts", "../cli/terminal.js"],
    ["somewhere/else.ts", "zod"],
  ])("refuses %s importing %s", (file, specifier) => {
    for (const code of [
      `export { x } from "${specifier}";`,
      `import type {\n  X,\n} from "${specifier}";`,
      `const load = () => import("${specifier}");`,
    ]) {
      expect(breaches(file, code)).toHaveLength(1);
    }
  });

  it.each([
    ["core/decide.ts", "../errors.js"],
    ["core/decide.ts", "./verdict.js"],
    ["judges/langchain/chat-model-judge.ts", "@langchain/core/messages"],
    ["judges/langchain/chat-model-judge.ts", "../prompt.js"],
    ["judges/openai/client.ts", "./dialect.js"],
    ["sinks/jsonl.ts", "node:fs/promises"],
    ["selector/tool-selector.ts", "../judges/local/local-judge.js"],
    ["index.ts", "./adapters/to-selector.js"],
  ])("lets %s import %s", (file, specifier) => {
    expect(breaches(file, `export { x } from "${specifier}";`)).toEqual([]);
  });
});
