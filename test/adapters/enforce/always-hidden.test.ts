import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { createAgent } from "langchain";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { demoServers, startServers } from "../../../examples/demo/servers.js";
import { read, readList } from "../../../src/core/read.js";
import { toolSelectorMiddleware } from "../../../src/langchain.js";
import { recordingChatModel } from "../../../src/testing/recording-chat-model.js";

/** A generator of numbers in [0, 1) (mulberry32), so that the tasks are the same on every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The smallest value that a JSON Schema takes. */
function fillValue(schema: unknown): unknown {
  const fixed = read(schema, "const") ?? readList(schema, "enum")[0] ?? read(schema, "default");
  if (fixed !== undefined) return fixed;
  const options = [...readList(schema, "anyOf"), ...readList(schema, "oneOf")];
  if (options.length > 0) return fillValue(options[0]);
  switch (read(schema, "type")) {
    case "string":
      return read(schema, "format") === "uri" ? "https://example.org" : "x".repeat(8);
    case "number":
    case "integer":
      return read(schema, "minimum") ?? 1;
    case "boolean":
      return true;
    case "array":
      return [fillValue(read(schema, "items"))];
    default:
      return fillArguments(schema);
  }
}

/** The required arguments of a tool. */
function fillArguments(schema: unknown): Record<string, unknown> {
  const properties = read(schema, "properties");
  return Object.fromEntries(
    readList(schema, "required").map((key) => [
      String(key),
      fillValue(read(properties, String(key))),
    ]),
  );
}

/** What a model writes that knows roughly which tool it wants: its name, a variant of it, or its purpose. */
function describeWish(wanted: StructuredToolInterface, random: number): Record<string, unknown> {
  const bare = wanted.name.replace(/^[^_]+_+/u, "");
  const words = wanted.name.replaceAll(/[_-]+/gu, " ");
  const [purpose = words] = wanted.description.split(/[.\n]/u, 1);
  if (random < 0.2) return { names: [wanted.name] };
  if (random < 0.4) return { names: [bare.toUpperCase()], limit: 20 };
  if (random < 0.7) return { query: words };
  return { query: `${words} ${purpose.slice(0, 200)}` };
}

describe("an agent whose needed tool a hostile judge always hides", () => {
  let folder = "";
  let catalog: readonly StructuredToolInterface[] = [];
  let close = async (): Promise<void> => undefined;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "toolsieve-"));
    const servers = await startServers(demoServers(folder, join(folder, "memory.jsonl")));
    catalog = servers.running.flatMap(({ tools }) => tools);
    close = () => servers.close();
  }, 60_000);
  afterAll(async () => {
    await close();
    await rm(folder, { recursive: true, force: true });
  });

  it("completes all of 200 tasks, with one more model call each", async () => {
    expect(catalog.length).toBeGreaterThan(100);
    const random = createRandom(7);
    const executed: string[] = [];
    const tools = catalog.map(({ name, description, schema }) =>
      tool(async () => (executed.push(name), "ok"), { name, description, schema: schema as never }),
    );
    const middleware = toolSelectorMiddleware({
      mode: "enforce",
      judge: ({ candidates }) => candidates.map(() => 0),
      findTools: true,
      guard: true,
    });
    const failed: string[] = [];
    for (let task = 0; task < 200; task += 1) {
      const wanted = catalog[Math.floor(random() * catalog.length)] as StructuredToolInterface;
      const wish = describeWish(wanted, random());
      executed.length = 0;
      const model = recordingChatModel({
        replies: ({ toolNames }, call) => {
          if (executed.includes(wanted.name)) return "done";
          if (toolNames.includes(wanted.name)) {
            return new AIMessage({
              content: "",
              tool_calls: [
                { name: wanted.name, args: fillArguments(wanted.schema), id: `c${call}` },
              ],
            });
          }
          return call === 1 ? { toolCalls: [{ name: "find_tools", args: wish }] } : "gave up";
        },
      });
      const agent = createAgent({ model, tools, middleware: [middleware] });
      await agent.invoke({ messages: [{ role: "user", content: `Task ${task}.` }] });
      // Search, call, answer: without the filter it would have been call, answer.
      const isDone = executed.join() === wanted.name && model.calls.length <= 3;
      if (!isDone) failed.push(`${wanted.name} ${JSON.stringify(wish)}`);
    }
    expect(failed).toEqual([]);
  }, 240_000);
});
