/**
 * Reads one probability per tool from the token logprobs of a chat completion that answers
 * `{"answers":"1N 2Y 3N"}`.
 */

import { read } from "../../core/read.js";
import { JudgeResponseError } from "../../errors.js";
import { findAnswers, readCompletion, findMarks } from "./chat-completion.js";

/**
 * Probabilities are clamped this far from 0 and 1: token logprobs are not calibrated beyond that.
 */
const smallest = 1e-6;
/** The largest sum of masses that rounding explains. */
const largestSum = 1.02;
/** The smallest mass of yes and no together; below it, the mark is no answer to the question. */
const smallestShare = 0.5;

/** One token as the server reports it; its numbers are unchecked. */
interface Token {
  readonly text: string;
  readonly logprob: unknown;
  readonly alternatives: readonly unknown[];
  /** Where it starts in the joined text. */
  readonly start: number;
}

const noLogprobs = (what: string): JudgeResponseError =>
  new JudgeResponseError(`The judge's completion ${what}.`, { reason: "no-logprobs" });

function readTokens(logprobs: unknown): readonly Token[] {
  const entries = read(logprobs, "content");
  if (!Array.isArray(entries) || entries.length === 0) throw noLogprobs("came without logprobs");
  let start = 0;
  return entries.map((entry: unknown): Token => {
    const text = read(entry, "token");
    if (typeof text !== "string") throw noLogprobs("has a token without text");
    const top = read(entry, "top_logprobs");
    const token = {
      text,
      logprob: read(entry, "logprob"),
      alternatives: Array.isArray(top) ? (top as unknown[]) : [],
      start,
    };
    start += text.length;
    return token;
  });
}

/** Finds the start of the content in the joined tokens, which must hold it exactly once. */
function findContentStart(joined: string, content: string): number {
  const start = joined.indexOf(content);
  if (start < 0) throw noLogprobs("has logprobs for another text");
  if (joined.includes(content, start + 1)) throw noLogprobs("has logprobs for its text twice");
  return start;
}

/** The mass of each distinct token text at one place, of finite logprobs up to 0. */
function readMasses(token: Token): ReadonlyMap<string, number> {
  const byText = new Map<string, number>();
  const all = [{ token: token.text, logprob: token.logprob }, ...token.alternatives];
  for (const entry of all) {
    const text = read(entry, "token");
    const logprob = read(entry, "logprob");
    if (typeof text !== "string" || byText.has(text)) continue;
    if (typeof logprob === "number" && Number.isFinite(logprob) && logprob <= 0) {
      byText.set(text, Math.exp(logprob));
    }
  }
  return byText;
}

function readMeaning(text: string, prefix: string): "yes" | "no" | "other" {
  const rest = text.startsWith(prefix) ? text.slice(prefix.length) : text;
  const word = /\p{L}[\p{L}\p{M}]*/u.exec(rest)?.[0].toLowerCase();
  if (word === "y" || word === "yes") return "yes";
  return word === "n" || word === "no" ? "no" : "other";
}

/** p(yes) at the token that carries a mark; `undefined` if its distribution is invalid. */
function readMark(token: Token, markOffset: number): number | undefined {
  const { logprob } = token;
  if (typeof logprob !== "number" || !Number.isFinite(logprob) || logprob > 0) return undefined;
  const prefix = token.text.slice(0, markOffset - token.start);
  const mass = { yes: 0, no: 0, other: 0 };
  for (const [text, value] of readMasses(token)) mass[readMeaning(text, prefix)] += value;
  const sum = mass.yes + mass.no + mass.other;
  if (sum > largestSum || mass.yes + mass.no < smallestShare) return undefined;
  const unseen = Math.max(smallest, 1 - sum);
  const yes = mass.yes === 0 ? unseen : mass.yes;
  const no = mass.no === 0 ? unseen : mass.no;
  return Math.min(1 - smallest, Math.max(smallest, yes / (yes + no)));
}

/**
 * Reads the probabilities of `count` tools from a chat completion. Pure.
 *
 * The reply must be a finished `{"answers":"1N 2Y …"}` with a mark for every number in order, and
 * the logprobs must cover its text. A mark's probability is yes / (yes + no) over the chosen token
 * and its alternatives at that place. It is `undefined` (unjudged) where two marks share a token,
 * where the chosen token has no valid logprob, where the masses sum to more than 1.02, and where
 * yes and no together hold less than 0.5.
 *
 * @throws {JudgeResponseError} if the batch as a whole holds no answer: `refused`, `truncated`,
 * `malformed`, `no-logprobs`.
 */
export function readLogprobs(body: unknown, count: number): readonly (number | undefined)[] {
  const { content, logprobs } = readCompletion(body);
  const answers = findAnswers(content);
  const marks = findMarks(answers, count);
  const tokens = readTokens(logprobs);
  const start = findContentStart(tokens.map(({ text }) => text).join(""), content);
  const carriers = marks.map(({ offset }) =>
    tokens.findLast((token) => token.start <= start + offset && token.text !== ""),
  );
  return marks.map(({ offset }, index) => {
    const carrier = carriers[index];
    const isShared = carriers.some((other, place) => place !== index && other === carrier);
    return carrier === undefined || isShared ? undefined : readMark(carrier, start + offset);
  });
}
