/**
 * The texts of the finder for the model. Names and descriptions of tools are data: quoted,
 * shortened, on one line each.
 */

import { quoteName, quoteNames } from "../../core/quote-name.js";
import { cleanText, cutText } from "../../core/text.js";
import type { ToolDescription } from "../../core/types.js";
import type { FindToolsError, MissedName } from "./parse-find-tools-request.js";

/**
 * Characters of a description that an answer shows; the definition itself follows with the next
 * step.
 */
const summaryChars = 160;

/** What an answer says. */
export interface AnswerParts {
  readonly tools: readonly ToolDescription[];
  readonly missed: readonly MissedName[];
  /** Names asked for that the model sees already. */
  readonly already: readonly string[];
  /** Further matches, beyond the limit. */
  readonly more: number;
  /** The search failed; what was found was found by name. */
  readonly failed: boolean;
}

function summarize({ name, description }: ToolDescription): string {
  const line = cleanText(description ?? "")
    .split(/\s+/u)
    .join(" ")
    .trim();
  const short = cutText(line, summaryChars);
  return `- ${quoteName(name)}${short === "" ? "" : `: ${short}${short.length < line.length ? "…" : ""}`}`;
}

function describeMissed({ name, nearest }: MissedName): string {
  const hint = nearest.length === 0 ? "" : ` The nearest: ${quoteNames(nearest)}.`;
  return `No tool is called ${quoteName(name)}.${hint}`;
}

function headline({ tools, already, failed }: AnswerParts): readonly string[] {
  if (tools.length > 0) {
    const count = tools.length === 1 ? "1 tool" : `${tools.length} tools`;
    return [`Found ${count}, ready to be called from your next step on:`, ...tools.map(summarize)];
  }
  if (failed) return ["The search failed. Ask for tools by `names` instead, or go on without."];
  if (already.length > 0) return [];
  return ["No further tool fits. Go on with the tools that you have, or say that none fits."];
}

/** The answer to a valid request. */
export function renderAnswer(parts: AnswerParts): string {
  const { already, missed, more } = parts;
  const lines = [
    ...headline(parts),
    ...(more > 0 ? [`${more} more match; raise \`limit\` or narrow the request.`] : []),
    ...(already.length > 0 ? [`You can call already: ${quoteNames(already)}.`] : []),
    ...missed.map(describeMissed),
  ];
  return lines.join("\n");
}

/** The answer to a request that is not valid: one line for each error, with its path. */
export function renderErrors(errors: readonly FindToolsError[]): string {
  const lines = errors
    .slice(0, 10)
    .map(({ path, message }) => (path === "" ? message : `${quotePath(path)}: ${message}`));
  return ["The request is not valid; correct it and call again.", ...lines].join("\n");
}

/** A path as the model wrote it, unless it holds anything odd. */
function quotePath(path: string): string {
  return /^[\w[\].-]+$/u.test(path) ? path : quoteName(path);
}

/** The answer to a search that was answered before. */
export function renderRepeat(): string {
  return "This very search was answered before in this run; its answer stands above. Call one of the tools that were found, search for something else, or go on without.";
}
