/**
 * Text for people on a terminal: nothing hostile gets through, columns line up, colour only where
 * it is seen.
 */

import { styleText } from "node:util";
import stringWidth from "string-width";

/**
 * Controls, escapes, direction marks, unpaired surrogates, and what else moves a cursor or hides
 * text.
 */
const unprintable = /\p{C}|\p{Zl}|\p{Zp}|\p{Default_Ignorable_Code_Point}/gu;

/** A text from outside on one line: each character that could steer the terminal becomes `�`. */
export function makePrintable(text: string): string {
  return text.replace(unprintable, "\uFFFD");
}

/**
 * JSON that is safe to look at: controls and invisible characters are escaped, which JSON itself
 * does for some only.
 */
export function formatJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/(?!\n)[\p{C}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}

/** Cuts a text to a number of columns; `…` marks the cut. */
export function cutToColumns(text: string, columns: number): string {
  if (stringWidth(text) <= columns) return text;
  let cut = "";
  for (const character of text) {
    if (stringWidth(cut + character) >= columns) break;
    cut += character;
  }
  return `${cut}…`;
}

type Format = "bold" | "dim" | "green" | "red" | "yellow" | "cyan";

/** Colours a text, if the stream is a terminal and NO_COLOR does not forbid it. */
export function paint(
  format: Format,
  text: string,
  stream: NodeJS.WriteStream = process.stdout,
): string {
  return styleText(format, text, { stream });
}

/** A cell: its text, and how it is painted once it is padded. */
export interface Cell {
  readonly text: string;
  readonly format?: Format | undefined;
}

export interface Column {
  readonly title: string;
  readonly align?: "left" | "right";
}

function pad(text: string, width: number, align: Column["align"]): string {
  const gap = " ".repeat(Math.max(0, width - stringWidth(text)));
  return align === "right" ? gap + text : text + gap;
}

/**
 * Lines of a table: titles dimmed, two spaces between columns, no line ends in spaces. Cells must
 * be printable.
 */
export function layOutTable(
  columns: readonly Column[],
  rows: readonly (readonly (Cell | string)[])[],
): readonly string[] {
  const titles = columns.map(({ title }): Cell => ({ text: title, format: "dim" }));
  const cells = [titles, ...rows].map((row) =>
    row.map((cell): Cell => (typeof cell === "string" ? { text: cell } : cell)),
  );
  const widths = columns.map((_, index) =>
    Math.max(...cells.map((row) => stringWidth(row[index]?.text ?? ""))),
  );
  const line = (row: readonly Cell[]): string =>
    columns
      .map(({ align }, index) => {
        const { text, format } = row[index] ?? { text: "" };
        const isLast = index === columns.length - 1;
        const padded = isLast && align !== "right" ? text : pad(text, widths[index] ?? 0, align);
        return format === undefined ? padded : paint(format, padded);
      })
      .join("  ")
      .trimEnd();
  return cells.map(line);
}
