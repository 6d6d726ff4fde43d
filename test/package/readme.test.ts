/** The code in the README and the docs compiles against the package as it is. */

import { execFile } from "node:child_process";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const root = new URL("../..", import.meta.url).pathname;

/** What a reader of a fragment has at hand. */
const atHand = `
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { Pool } from "pg";
import type { CalibrationPair, Judge, ToolSelector, Turn } from "toolsieve";
import type { DecisionModel } from "toolsieve/models";
type Package<N extends keyof Packages> = Packages[N];
interface Packages {
  adapter: typeof import("toolsieve/langchain");
  graphs: typeof import("toolsieve/langgraph");
  host: typeof import("langchain");
  langgraph: typeof import("@langchain/langgraph");
  prebuilt: typeof import("@langchain/langgraph/prebuilt");
  files: typeof import("toolsieve/node");
}
declare global {
  const tools: StructuredToolInterface[];
  const model: BaseChatModel;
  const decisionModel: DecisionModel;
  const selector: ToolSelector;
  const turn: Turn;
  const judge: Judge;
  const myJudge: Judge;
  const pairs: CalibrationPair[];
  const pool: Pool;
  const agent: { invoke(input: unknown, options?: object): Promise<unknown> };
  const graph: { addNode(name: string, node: unknown): void };
  const input: { messages: [] };
  const ChatAnthropic: new (options: object) => BaseChatModel;
  const createAgent: Package<"host">["createAgent"];
  const toolSelectorMiddleware: Package<"adapter">["toolSelectorMiddleware"];
  const presets: Package<"adapter">["presets"];
  const toolSelectorNode: Package<"graphs">["toolSelectorNode"];
  const dynamicModel: Package<"graphs">["dynamicModel"];
  const StateGraph: Package<"langgraph">["StateGraph"];
  const MessagesAnnotation: Package<"langgraph">["MessagesAnnotation"];
  const ToolNode: Package<"prebuilt">["ToolNode"];
  const createReactAgent: Package<"prebuilt">["createReactAgent"];
  const jsonlSink: Package<"files">["jsonlSink"];
  function callMyModel(state: unknown, tools: readonly unknown[]): Promise<{ messages: [] }>;
}
export {};
`;

async function fragments(): Promise<readonly (readonly [string, string])[]> {
  const docs = (await readdir(join(root, "docs"))).filter((name) => name.endsWith(".md"));
  const files = ["README.md", ...docs.map((name) => join("docs", name))];
  const found = await Promise.all(
    files.map(async (file) => {
      const text = await readFile(join(root, file), "utf8");
      const blocks = [...text.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code = ""]) => code);
      return blocks.map(
        (code, index) => [`${file.replaceAll(/\W/g, "-")}-${index}.ts`, code] as const,
      );
    }),
  );
  return found.flat();
}

it("compiles every fragment", { timeout: 120_000 }, async () => {
  const folder = await mkdtemp(join(root, ".fragments-"));
  try {
    const all = await fragments();
    expect(all.length).toBeGreaterThan(5);
    await writeFile(join(folder, "at-hand.ts"), atHand);
    for (const [name, code] of all) await writeFile(join(folder, name), `${code}\nexport {};\n`);
    await writeFile(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        extends: "../tsconfig.json",
        compilerOptions: { noUnusedLocals: false, noUnusedParameters: false },
        include: [],
        files: ["at-hand.ts", ...all.map(([name]) => name)],
      }),
    );
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const run = promisify(execFile)(process.execPath, [tsc, "-p", folder], { cwd: root });
    const output = await run.then(
      ({ stdout }) => stdout,
      (error: { stdout: string }) => error.stdout,
    );
    expect(output).toBe("");
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
