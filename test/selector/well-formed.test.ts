/** No half surrogate pair, and no schema without an end, reaches a judge or a record. */

import { expect, it } from "vitest";
import { createToolSelector } from "../../src/index.js";
import type { Turn } from "../../src/index.js";
import { fakeJudge } from "../../src/testing/fake-judge.js";
import { assistant, toolResult, turnOf, user } from "../support/turns.js";

const half = "\ud83d";

function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every((entry) => entry.every(isWellFormed));
}

const messages = [
  user(`look ${half}`, `id${half}`),
  assistant("", `call${half}`),
  toolResult(`call${half}`, `result \udc00`),
  user(`Where is order 7? ${half}`),
];
const tools = [
  {
    name: `odd${half}`,
    description: `Does odd things ${half}`,
    parameters: { type: "object", properties: { [`city${half}`]: { description: half } } },
  },
  { name: "cut", description: `${"x".repeat(1999)}😀` },
];

it.each<[string, Partial<Turn>]>([
  ["a conversation", { messages }],
  ["ids", { messages, threadId: `t${half}`, runId: `r${half}`, groupId: `g${half}` }],
])("%s", async (_, rest) => {
  const judge = fakeJudge();
  const selector = createToolSelector({ judge, mode: "enforce", content: true, agent: half });
  const { record } = await selector.select(turnOf<unknown>(tools, rest));
  expect(judge.requests).toHaveLength(1);
  expect(isWellFormed(judge.requests)).toBe(true);
  expect(isWellFormed(record)).toBe(true);
  expect(record.tools.map(({ name }) => name)).toEqual(["odd\ufffd", "cut"]);
});

it("a user's context and redaction", async () => {
  const judge = fakeJudge();
  const selector = createToolSelector({
    judge,
    redact: (text) => `${text}${half}`,
    context: () => ({ request: half, messages: [{ role: "tool", text: half }] }),
  });
  await selector.select(turnOf<unknown>(tools));
  expect(isWellFormed(judge.requests[0]?.context)).toBe(true);
});

it("schemas that contain themselves reach the judge as plain data, with their names", async () => {
  const node: Record<string, unknown> = { type: "object" };
  node["properties"] = { city: { type: "string" }, child: node };
  let deep: object = { properties: { leaf: {} } };
  for (let level = 0; level < 30; level += 1) deep = { properties: { a: deep, b: deep } };
  const judge = fakeJudge();
  const selector = createToolSelector({ judge, mode: "enforce" });
  const { record } = await selector.select(
    turnOf([
      { name: "cyclic", description: "Has a cyclic schema.", parameters: node },
      { name: "deep", description: "Has a billion paths.", parameters: deep },
    ]),
  );
  const [cyclic, bounded] = judge.requests[0]?.candidates ?? [];
  expect(JSON.stringify(cyclic)).toContain('"city"');
  expect(JSON.stringify(bounded).length).toBeLessThan(2_000_000);
  expect(record.tools.every(({ tokens }) => typeof tokens === "number")).toBe(true);
});
