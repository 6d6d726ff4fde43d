/**
 * An OpenAI-compatible service as the judge of an agent: yes or no per tool, its probability from token logprobs.
 *
 * Run: `npx tsx examples/openai-judge.ts` for a stand-in on this machine, or with OPENAI_API_KEY set for the real service.
 * OPENAI_JUDGE_URL and OPENAI_JUDGE_MODEL name another service, such as a llama.cpp server on this machine.
 */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { openaiJudge } from "../src/openai.js";
import { runOrderDesk, sharedWords } from "./support/order-desk.js";

interface StandInRequest {
  readonly model: string;
  readonly messages: readonly { readonly content: string }[];
}

interface StandInTool {
  readonly number: number;
  readonly description: string;
}

/** One token with its alternatives, as a service reports them. */
function token(text: string, p = 1, other = ""): object {
  const all = [
    { token: text, logprob: Math.log(p) },
    { token: other, logprob: Math.log(1 - p) },
  ];
  return { ...all[0], top_logprobs: p === 1 ? all.slice(0, 1) : all };
}

/** Answers in the format that the judge asks for, by shared words; it shows the wire, not the judgment. */
function complete({ model, messages }: StandInRequest): object {
  const [system = { content: "" }, user = { content: "{}" }] = messages;
  const { request } = JSON.parse(user.content) as { request: string };
  const lines = system.content.slice(system.content.indexOf("\nTools:\n") + 8).split("\n");
  const marks = lines.map((line) => {
    const { number, description } = JSON.parse(line) as StandInTool;
    return { number, p: sharedWords(request, description) };
  });
  const content = JSON.stringify({
    answers: marks.map(({ number, p }) => `${number}${p > 0.5 ? "Y" : "N"}`).join(" "),
  });
  const tokens = [
    token('{"answers":"'),
    ...marks.flatMap(({ number, p }) => [
      token(number === 1 ? "1" : ` ${number}`),
      p > 0.5 ? token("Y", p, "N") : token("N", 1 - p, "Y"),
    ]),
    token('"}'),
  ];
  const message = { role: "assistant", content, refusal: null };
  return {
    model,
    choices: [{ index: 0, finish_reason: "stop", message, logprobs: { content: tokens } }],
    usage: { prompt_tokens: 400, completion_tokens: tokens.length },
  };
}

function startStandIn(): Promise<Server> {
  const server = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    void json(request).then((body) =>
      response.end(JSON.stringify(complete(body as StandInRequest))),
    );
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(server));
  });
}

const url = process.env["OPENAI_JUDGE_URL"];
const isReal = url !== undefined || Boolean(process.env["OPENAI_API_KEY"]);
const standIn = isReal ? null : await startStandIn();
const address = standIn?.address() as AddressInfo | undefined;
console.log(isReal ? "asking the real service" : "asking a stand-in on this machine");

// Retries and a circuit breaker come with openaiJudge.
const judge = openaiJudge({
  baseURL: address === undefined ? url : `http://127.0.0.1:${address.port}/v1`,
  model: process.env["OPENAI_JUDGE_MODEL"] ?? "gpt-4.1-mini",
  logger: console,
});
await runOrderDesk(judge);
standIn?.close();
standIn?.closeAllConnections();
