/** Finds tools and servers whose texts nearly equal others. */

import type { ListedTool } from "./list-server-tools.js";

const nearlyEqual = 0.8;
/** Above this share of copied tools, a server counts as a copy. */
const copiedShare = 0.4;

/** The words of a tool's name and description. */
export type ToolWords = ReadonlySet<string>;

/** Splits name and description into lower-case words; camelCase and snake_case are split too. */
export function readToolWords({ name, description }: ListedTool): ToolWords {
  const spaced = `${name} ${description}`.replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2");
  return new Set(spaced.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

function jaccard(left: ToolWords, right: ToolWords): number {
  let common = 0;
  for (const word of left) if (right.has(word)) common += 1;
  const all = left.size + right.size - common;
  return all === 0 ? 0 : common / all;
}

/** Tells which tools nearly equal one of `others` (Jaccard index of their words ≥ 0.8). */
export function findCopies(
  tools: readonly ListedTool[],
  others: readonly ToolWords[],
): ReadonlySet<ListedTool> {
  const isCopy = (tool: ListedTool): boolean => {
    const words = readToolWords(tool);
    return others.some((other) => jaccard(words, other) >= nearlyEqual);
  };
  return new Set(tools.filter(isCopy));
}

/** Tells if so many tools are copies that the server itself is one. */
export function isCopiedServer(copies: number, tools: number): boolean {
  return copies > tools * copiedShare;
}
