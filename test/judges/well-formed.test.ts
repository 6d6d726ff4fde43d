/** No half surrogate pair leaves the process in a judge's request, whatever text it came from. */

import { afterAll, beforeAll, expect, it } from "vitest";
import type { Judge, JudgeRequest } from "../../src/core/types.js";
import { jevJudge } from "../../src/jev.js";
import { chatModelJudge, decisionModelJudge } from "../../src/models.js";
import { openaiJudge } from "../../src/openai.js";
import { createHostileServer, type HostileServer } from "../support/hostile-server.js";

const half = "\ud83d";
const other = "\udc00";

const request: JudgeRequest = {
  context: {
    request: `Where is it? ${half}`,
    messages: [
      { role: "user", text: `Hello ${half}` },
      { role: "assistant", text: `${other} Hi` },
      { role: "tool", text: `result ${half}` },
    ],
  },
  candidates: [
    {
      name: `odd${half}`,
      description: `Does odd things ${other}`,
      parameters: {
        type: "object",
        properties: { [`city${half}`]: { type: "string", enum: [half], description: other } },
      },
    },
    { name: `${"n".repeat(255)}😀`, description: `${"d".repeat(1999)}😀` },
    { name: "cut", description: "Cut.", parameters: { title: "😀".repeat(3000) } },
    { name: "joined", description: `${half}\u200d${other}` },
  ],
};

let server: HostileServer;
beforeAll(async () => {
  server = await createHostileServer();
});
afterAll(() => server.close());

/** What a model of LangChain was given. */
const given: unknown[] = [];
const model = {
  invoke: async (input: unknown): Promise<unknown> => {
    given.push(input);
    return {};
  },
  withStructuredOutput: () => model,
};

const openai = (method: "logprobs" | "stated" | "decisions"): Judge =>
  openaiJudge({ baseURL: `${server.url}/v1`, model: "m-1", raw: true, method });

/** Every text in a value; texts that hold JSON are opened, because JSON writes half a pair as an escape. */
function listTexts(value: unknown): readonly string[] {
  if (typeof value === "object" && value !== null) {
    return Object.entries(value).flatMap(([key, inner]) => [key, ...listTexts(inner)]);
  }
  if (typeof value !== "string") return [];
  const inner = value.split("\n").flatMap((line) => {
    try {
      return listTexts(JSON.parse(line) as object);
    } catch {
      return [];
    }
  });
  return [value, ...inner];
}

it.each<[string, () => Judge]>([
  ["jevJudge", () => jevJudge({ baseURL: server.url, raw: true })],
  ["openaiJudge by logprobs", () => openai("logprobs")],
  ["openaiJudge by stated probabilities", () => openai("stated")],
  ["openaiJudge by decisions", () => openai("decisions")],
  ["decisionModelJudge", () => decisionModelJudge(model, { raw: true })],
  ["chatModelJudge", () => chatModelJudge(model, { raw: true })],
])("%s sends well-formed text only", async (_, create) => {
  server.play({ json: {} });
  given.length = 0;
  const signal = new AbortController().signal;
  await create()
    .judge(request, { signal })
    .catch(() => undefined);
  const sent = [...server.requests.map(({ body }) => body), ...given];
  const texts = listTexts(sent);
  expect(sent).toHaveLength(1);
  expect(texts.some((text) => text.includes("Does odd things"))).toBe(true);
  expect(texts.filter((text) => !text.isWellFormed())).toEqual([]);
  expect(texts.filter((text) => /\\ud[89a-f]/i.test(text))).toEqual([]);
});
