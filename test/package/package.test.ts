/** The package as users get it: packed, unpacked into a clean folder, imported by plain Node. */

import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCleanFolder, installPackage, packPackage, run, runModule } from "./pack.js";
import type { Tarball } from "./pack.js";
import { subpaths } from "./subpaths.js";

const peers = [
  "@langchain/core",
  "@langchain/langgraph",
  "@opentelemetry/api",
  "langchain",
  "openai",
  "pg",
];

let folder = "";
let project = "";
let tarball: Tarball;

beforeAll(async () => {
  folder = await createCleanFolder();
  project = join(folder, "project");
  tarball = await packPackage(folder);
  await installPackage(tarball, project);
}, 120_000);

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** What importing a subpath without any optional peer ends in. */
async function importError(subpath: string): Promise<{ code: string; message: string }> {
  const code = `
    const thrown = await import("toolsieve/${subpath}").then(() => ({}), (error) => error);
    console.log(JSON.stringify({ code: thrown.code ?? "", message: thrown.message ?? "" }));`;
  return JSON.parse(await runModule(project, code)) as { code: string; message: string };
}

describe("the tarball", () => {
  it("brings readme, licence and notices", () => {
    expect(tarball.files).toEqual(expect.arrayContaining(["README.md", "LICENSE", "NOTICE"]));
  });

  it("brings no tests, training, benchmarks or build settings", () => {
    const strays = tarball.files.filter(
      (file) =>
        !/^(?:dist|src)\//.test(file) &&
        !["package.json", "README.md", "LICENSE", "NOTICE"].includes(file),
    );
    expect(strays).toEqual([]);
    expect(tarball.files.filter((file) => /tsconfig|\.test\./.test(file))).toEqual([]);
  });

  it("is at most 20 MB when unpacked, the weights of the embedded encoder included", () => {
    expect(tarball.unpackedSize).toBeLessThanOrEqual(20_000_000);
  });

  it("has types and code behind every export, and the program behind `bin`", async () => {
    const manifest = JSON.parse(
      await readFile(join(project, "node_modules/toolsieve/package.json"), "utf8"),
    ) as { bin: object; exports: Record<string, string | Record<string, string>> };
    const targets = [...Object.values(manifest.exports), manifest.bin].flatMap((target) =>
      typeof target === "string" ? [target] : Object.values(target),
    );
    expect(targets.length).toBeGreaterThan(20);
    const missing = targets.filter((target) => !tarball.files.includes(target.replace("./", "")));
    expect(missing).toEqual([]);
  });
});

/** Entries that cannot be loaded without their host: that is their one sentence to say. */
const needsHost: ReadonlySet<string> = new Set(["langchain", "langgraph", "testing"]);

describe("without any optional peer", () => {
  it("has none of them in reach", async () => {
    const code = `
      const found = [];
      for (const name of ${JSON.stringify(peers)}) await import(name).then(() => found.push(name), () => {});
      console.log(found.join());`;
    await expect(runModule(project, code)).resolves.toBe("");
  });

  it("selects with the root entry and the embedded judge", async () => {
    const code = `
      import { createToolSelector, memorySink } from "toolsieve";
      const sink = memorySink();
      const selector = createToolSelector({ sinks: sink });
      const tools = [
        { name: "query_order", description: "Looks up the status of an order." },
        { name: "send_email", description: "Sends an email to a person." },
      ];
      const messages = [{ role: "user", text: "What is the status of order 7?" }];
      await selector.run({ messages, tools }, {
        callModel: async (offered) => offered,
        readOutcome: () => ({ called: ["query_order"] }),
      });
      await selector.close();
      const [record] = sink.records;
      console.log(sink.records.length, record.judge.id.split(":")[0], record.tools.length, record.error);`;
    await expect(runModule(project, code)).resolves.toBe("1 local 2 null");
  });

  it.each(subpaths.filter((subpath) => !needsHost.has(subpath)))(
    "imports toolsieve/%s",
    async (subpath) => {
      await expect(importError(subpath)).resolves.toEqual({ code: "", message: "" });
    },
  );

  it("can be required by CommonJS code", async () => {
    const code = `
      import { createRequire } from "node:module";
      const { createToolSelector } = createRequire(process.cwd() + "/x.js")("toolsieve");
      console.log(createToolSelector().options.mode);`;
    await expect(runModule(project, code)).resolves.toBe("shadow");
  });

  it.each([
    ["langchain", /^Cannot find package '(?:langchain|@langchain\/core)' imported from .*$/],
    ["langgraph", /^Cannot find package '@langchain\/(?:core|langgraph)' imported from .*$/],
    ["testing", /^Cannot find package '@langchain\/core' imported from .*$/],
  ])("says which package toolsieve/%s lacks, in one sentence", async (subpath, sentence) => {
    const { code, message } = await importError(subpath);
    expect(code).toBe("ERR_MODULE_NOT_FOUND");
    expect(message).toMatch(sentence);
  });

  it.each([
    [
      "pg",
      `import { postgresSink } from "toolsieve/postgres";
       const sink = postgresSink({ connectionString: "postgres://nobody@127.0.0.1:1/none" });
       await sink.write({}).catch((error) => console.log(error.message));
       await sink.close();`,
    ],
    [
      "openai",
      `import { openaiJudge } from "toolsieve/openai";
       const judge = openaiJudge({ model: "m", apiKey: "k", baseURL: "http://127.0.0.1:1/v1", raw: true });
       const request = { context: { request: "hello", messages: [] }, candidates: [{ name: "a", description: "b" }] };
       await judge.judge(request, { signal: AbortSignal.timeout(5000) }).catch((error) => console.log(error.message));`,
    ],
    [
      "@opentelemetry/api",
      `import { otelSink } from "toolsieve/otel";
       const sink = otelSink();
       await sink.write({}).catch((error) => console.log(error.message));`,
    ],
  ])("names %s where it is needed and missing, in one sentence", async (name, code) => {
    const message = await runModule(project, code);
    expect(message).toContain(`npm install ${name}`);
    expect(message.split("\n")).toHaveLength(1);
  });

  it("runs the program", async () => {
    const program = join(project, "node_modules/toolsieve/dist/cli/main.js");
    const { stdout } = await run(process.execPath, [program, "--help"], { cwd: project });
    expect(stdout).toContain("report");
  });

  it.each([
    ["NodeNext", "NodeNext"],
    ["ESNext", "Bundler"],
  ])(
    "type-checks a strict consumer under module %s, libraries included",
    async (module, resolution) => {
      await writeFile(
        join(project, "consumer.ts"),
        `import { createToolSelector } from "toolsieve";
       import { jsonlSink } from "toolsieve/node";
       const tools = [{ name: "a", description: "b", own: 1 }] as const;
       const selector = createToolSelector({ sinks: jsonlSink("log.jsonl") });
       const { tools: kept } = await selector.select({ messages: [{ role: "user", text: "hi" }], tools });
       export const own: number | undefined = kept[0]?.own;`,
      );
      const tsc = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));
      const options = [
        "--noEmit",
        "--strict",
        "--exactOptionalPropertyTypes",
        "--target",
        "ES2023",
      ];
      const checked = run(
        process.execPath,
        [
          tsc,
          ...options,
          "--lib",
          "ES2023,DOM",
          "--types",
          "",
          "--module",
          module,
          "--moduleResolution",
          resolution,
          "consumer.ts",
        ],
        { cwd: project },
      ).then(
        () => "",
        (error: { stdout: string }) => error.stdout,
      );
      await expect(checked).resolves.toBe("");
    },
  );
});
