/** Reads a chat completion: whether it is whole, and where its one answer string is. */

import * as z from "zod";
import { JudgeResponseError } from "../../errors.js";

const anything = z.unknown().optional();

const completionSchema = z.object({
  choices: z.tuple(
    [
      z.object({
        finish_reason: anything,
        message: z.object({ content: anything, refusal: anything }).nullish(),
        logprobs: anything,
      }),
    ],
    anything,
  ),
});

/** A finished reply without a refusal: its text, and its unchecked logprobs. */
export interface ChatCompletion {
  readonly content: string;
  readonly logprobs: unknown;
}

/** A part of the content, and the offset where it starts there. */
export interface TextAt {
  readonly text: string;
  readonly offset: number;
}

const malformed = (what: string): JudgeResponseError =>
  new JudgeResponseError(`The judge's completion ${what}.`, { reason: "malformed" });

const isRefusal = (refusal: unknown): boolean =>
  refusal !== undefined && refusal !== null && refusal !== "";

/**
 * Reads choice 0 of a chat completion, if it is whole: finished by `stop`, not refused, not empty.
 *
 * @throws {JudgeResponseError} `refused` for a refusal or a content filter, even beside content;
 * `truncated` for `length`, even if the text looks whole; `malformed` for everything else.
 */
export function readCompletion(body: unknown): ChatCompletion {
  const parsed = completionSchema.safeParse(body);
  if (!parsed.success) throw malformed("has no message");
  const [{ finish_reason: finish, message, logprobs }] = parsed.data.choices;
  if (finish === "content_filter" || isRefusal(message?.refusal)) {
    throw new JudgeResponseError("The judge's model refused.", { reason: "refused" });
  }
  if (finish === "length") {
    throw new JudgeResponseError("The judge's completion was cut at its token limit.", {
      reason: "truncated",
    });
  }
  if (finish !== "stop") throw malformed("did not finish with `stop`");
  const content = message?.content;
  if (typeof content !== "string" || content.trim() === "") throw malformed("is empty");
  return { content: content.trim(), logprobs };
}

/**
 * Finds the one `{"answers":"…"}` of a reply. A fence, prose or a closed think block around it is
 * fine.
 *
 * @throws {JudgeResponseError} `malformed` if there is none, more than one, or if it stands inside
 * a think block: a draft is no answer.
 */
export function findAnswers(content: string): TextAt {
  const openings = content.match(/\{\s*"answers"/g)?.length ?? 0;
  const found = /(\{\s*"answers"\s*:\s*")((?:[^"\\]|\\.)*)"\s*\}/s.exec(content);
  if (openings !== 1 || found === null) throw malformed("does not hold exactly one answer object");
  const [whole, opening = "", text = ""] = found;
  const before = content.slice(0, found.index);
  const after = content.slice(found.index + whole.length);
  const isThought =
    before.lastIndexOf("<think>") > before.lastIndexOf("</think>") ||
    /<\/?think>/.exec(after)?.[0] === "</think>";
  if (isThought) throw malformed("holds its answer inside a think block");
  return { text, offset: found.index + opening.length };
}

/**
 * Finds the marks of the numbers 1 to `count` in an answer string: in order, each once, separated
 * by spaces.
 *
 * @throws {JudgeResponseError} `malformed` if it is anything else.
 */
export function findMarks(answers: TextAt, count: number): readonly TextAt[] {
  const pattern = Array.from({ length: count }, (_, index) => `${index + 1}([YN])`).join(" +");
  const found = new RegExp(`^ *${pattern} *$`, "d").exec(answers.text);
  if (found?.indices === undefined) {
    throw malformed(`does not hold exactly one mark for each of ${count} tools, in order`);
  }
  return found.indices.slice(1).map(([start, end] = [0, 0]) => ({
    text: answers.text.slice(start, end),
    offset: answers.offset + start,
  }));
}
