/** The texts of a conversation that tools are compared with; training/encoder/texts.py forms request and window alike. */

import type { JudgeContext } from "../../core/types.js";
import { isSmallTalk, isStopWord, splitWords } from "../../core/words.js";

/** Texts that are not there are `""`. */
export interface TurnTexts {
  /** The user's current request; where that is talk alone, what was said before it. */
  readonly request: string;
  /** The current request is greetings, assent and pronouns alone. */
  readonly isTalk: boolean;
  /** Its clauses, if there are several with words of their own. */
  readonly clauses: readonly string[];
  /** What was said, up to the newest message; `""` if that is the request alone. */
  readonly window: string;
  /** The newest text that is not the user's. */
  readonly latest: string;
  /** The user's message before. */
  readonly previous: string;
}

/** More of a text is not read: the encoder's longest input is shorter. */
const maxChars = 1600;
const windowMessages = 4;
const windowChars = 600;
const maxClauses = 4;
const leastClauseWords = 2;
const clauseEnd =
  /[.!?;\n]+(?:\s|$)|,?\s+(?:and then|after that|and|then|also|plus|afterwards)\s+/iu;

/** A text on one line; of a long one, its end. */
function squeeze(text: string): string {
  return text
    .slice(-2 * maxChars)
    .replaceAll(/\s+/gu, " ")
    .trim();
}

function contentWords(text: string): readonly string[] {
  return splitWords(text).filter((word) => !isStopWord(word) && !isSmallTalk(word));
}

/** The clauses of a text; of too many, the first and the last. */
function splitClauses(text: string): readonly string[] {
  const clauses = text
    .split(clauseEnd)
    .map((clause) => clause.trim())
    .filter((clause) => contentWords(clause).length >= leastClauseWords);
  if (clauses.length < 2) return [];
  const half = maxClauses / 2;
  return clauses.length <= maxClauses
    ? clauses
    : [...clauses.slice(0, half), ...clauses.slice(-half)];
}

/** Reads the texts of a conversation; each is bounded. */
export function readTurnTexts({ request, messages }: JudgeContext): TurnTexts {
  const said = messages.filter(({ text }) => text.trim() !== "");
  const at = said.findLastIndex(({ role }) => role === "user");
  const latest = said.findLast(({ role }) => role !== "user")?.text ?? "";
  const previous = said.slice(0, Math.max(0, at)).findLast(({ role }) => role === "user");
  const before = previous?.text.slice(0, maxChars) ?? "";
  const asked = request.trim().slice(0, maxChars);
  const isTalk = contentWords(asked).length === 0;
  const spoken = [before, latest.slice(0, maxChars), asked].filter((text) => text !== "");
  const start = isTalk ? spoken.join("\n") : asked;
  const lines = said.slice(-windowMessages).map(({ role, text }) => `${role}: ${squeeze(text)}`);
  return {
    request: start,
    isTalk,
    clauses: splitClauses(start),
    window: said.length > 1 ? lines.join(" ").slice(-windowChars) : "",
    latest: latest.slice(0, maxChars),
    previous: before,
  };
}

/** The texts that an encoder reads, each once. */
export function listTurnTexts(texts: TurnTexts): readonly string[] {
  const { request, clauses, window, latest, previous } = texts;
  return [...new Set([request, ...clauses, window, latest, previous])].filter((one) => one !== "");
}
