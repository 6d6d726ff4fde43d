/**
 * Text that leaves the process: invisible characters removed, well-formed, cut without splitting a
 * character.
 */

/**
 * Zero-width, bidirectional and other characters that show nothing; they can carry hidden
 * instructions, never meaning that a judge needs.
 */
const invisible = /\p{Default_Ignorable_Code_Point}/gu;

/** Removes invisible characters. */
export function stripInvisible(text: string): string {
  return text.replace(invisible, "");
}

/**
 * Text as a judge or a record may carry it: without invisible characters and without half surrogate
 * pairs.
 */
export function cleanText(text: string): string {
  return stripInvisible(text).toWellFormed();
}

/** Keeps the head of a text: at most `maxChars` UTF-16 units, never half of a surrogate pair. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const last = text.charCodeAt(maxChars - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxChars - 1 : maxChars);
}
