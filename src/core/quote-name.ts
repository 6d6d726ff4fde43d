/** Writes names of tools into texts for a model: short, on one line, and unmistakable. */

import { cleanText, cutText } from "./text.js";

/** Characters of a name that a text shows. */
const shownChars = 128;

/** A name in JSON quotes, without invisible characters. */
export function quoteName(name: string): string {
  return JSON.stringify(cutText(cleanText(name), shownChars));
}

/** Names in quotes, with commas between them. */
export function quoteNames(names: readonly string[]): string {
  return names.map(quoteName).join(", ");
}
