/**
 * Reads the structured answer of a LangChain chat model: one stated probability per numbered tool.
 */

import { read } from "../../core/read.js";
import { JudgeResponseError } from "../../errors.js";
import { readByNumber } from "../numbered-answers.js";

/** The name of the answer, where a provider calls it as a tool. */
export const answerName = "tool_answers";

/** The answer schema, the same for any tools. */
export const answerSchema = {
  title: answerName,
  description: "For every tool its number, and the probability that the request involves it.",
  type: "object",
  properties: {
    answers: {
      type: "array",
      items: {
        type: "object",
        properties: { number: { type: "integer" }, probability: { type: "number" } },
        required: ["number", "probability"],
        additionalProperties: false,
      },
    },
  },
  required: ["answers"],
  additionalProperties: false,
};

const malformed = (what: string): JudgeResponseError =>
  new JudgeResponseError(`The judge's answer ${what}.`, { reason: "malformed" });

/** Finish reasons in the spellings of the providers. */
const refusals: ReadonlySet<unknown> = new Set(["content_filter", "refusal", "SAFETY"]);
const cuts: ReadonlySet<unknown> = new Set(["length", "max_tokens", "MAX_TOKENS"]);

function checkFinish(message: unknown): void {
  const metadata = read(message, "response_metadata");
  const reasons = ["finish_reason", "stop_reason", "finishReason"].map((key) =>
    read(metadata, key),
  );
  const refusal = read(read(message, "additional_kwargs"), "refusal");
  if ((typeof refusal === "string" && refusal !== "") || reasons.some((r) => refusals.has(r))) {
    throw new JudgeResponseError("The judge's model refused.", { reason: "refused" });
  }
  if (reasons.some((reason) => cuts.has(reason))) {
    throw new JudgeResponseError("The judge's answer was cut at its token limit.", {
      reason: "truncated",
    });
  }
}

/** The arguments of the one answer call, for replies that LangChain's own parser does not read. */
function findCalledAnswer(message: unknown): unknown {
  const calls = read(message, "tool_calls");
  const answers = Array.isArray(calls)
    ? calls.filter((call) => read(call, "name") === answerName)
    : [];
  return answers.length === 1 ? read(answers[0], "args") : undefined;
}

/**
 * Parses the JSON object in a text with anything around it. For content blocks, `text` joins the
 * texts.
 */
function parseWrittenAnswer(message: unknown): unknown {
  const content = read(message, "content");
  const text = typeof content === "string" ? content : read(message, "text");
  if (typeof text !== "string") return undefined;
  try {
    return JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
  } catch {
    return undefined;
  }
}

/**
 * Reads the reply of `withStructuredOutput(answerSchema, { includeRaw: true })` by number. A number
 * that is missing, given twice, or without a probability in [0, 1] leaves its one tool without an
 * answer.
 *
 * @throws {JudgeResponseError} `refused`, `truncated` (even if the answer looks whole),
 * `malformed`.
 */
export function readStructured(reply: unknown, count: number): readonly (number | undefined)[] {
  const message = read(reply, "raw");
  checkFinish(message);
  const found = [
    read(reply, "parsed"),
    findCalledAnswer(message),
    parseWrittenAnswer(message),
    reply,
  ]
    .map((candidate) => read(candidate, "answers"))
    .find((answers) => Array.isArray(answers));
  if (!Array.isArray(found)) throw malformed("cannot be read");
  const answers = found.map((answer) => ({
    number: read(answer, "number"),
    probability: read(answer, "probability"),
  }));
  return readByNumber(answers, count);
}
