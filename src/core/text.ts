/** Text that goes to a judge: invisible characters removed, length capped without splitting a character. */

/** Zero-width, bidirectional and other characters that show nothing; they can carry hidden instructions, never meaning that a judge needs. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu;

/** Removes invisible characters. */
export function stripInvisible(text: string): string {
  return text.replace(invisible, "");
}

/** Keeps the head of a text: at most `maxChars` UTF-16 units, never half of a surrogate pair. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const last = text.charCodeAt(maxChars - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? maxChars - 1 : maxChars);
}

/** JSON of a value with keys in the order given; `null` for what cannot be serialised (a cycle, a BigInt, a throwing getter). */
export function toJson(value: unknown): string | null {
  try {
    return JSON.stringify(value) ?? null;
  } catch {
    return null;
  }
}
