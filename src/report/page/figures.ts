/**
 * Figures for people: rounded in the text, exact in the `value` attribute, each with its path in
 * the summary.
 */

import { formatNumber } from "../../core/format.js";
import { html } from "./markup.js";
import type { Content, Markup } from "./markup.js";

/** Milliseconds: "412 ms", "1.2 s". */
export const formatDuration = (ms: number): string =>
  ms >= 1000 ? `${formatNumber(ms / 1000)} s` : `${formatNumber(ms)} ms`;

/** "2026-12-01 09:30 UTC" */
export const formatTime = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;

/** A figure of the summary with its path in `--json`. `null` is shown as unknown. */
export function figure(
  value: number | null,
  path: string,
  format: (value: number) => string = formatNumber,
): Markup {
  return value === null
    ? html`<span class="unknown" data-path="${path}">unknown</span>`
    : html`<data value="${value}" data-path="${path}">${format(value)}</data>`;
}

/** A table that scrolls on its own where the page is narrow, by keyboard too. */
export function table(
  caption: string,
  columns: readonly (string | { readonly title: string; readonly align: "right" })[],
  rows: readonly (readonly Content[])[],
): Markup {
  const isRight = (index: number): boolean => typeof columns[index] === "object";
  const title = (column: (typeof columns)[number]): string =>
    typeof column === "string" ? column : column.title;
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0">
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map(
            (column, index) =>
              html`<th scope="col" class="${isRight(index) ? "right" : ""}">${title(column)}</th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${cells.map((cell, index) =>
                index === 0
                  ? html`<th scope="row">${cell}</th>`
                  : html`<td class="${isRight(index) ? "right" : ""}">${cell}</td>`,
              )}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** A numeric column. */
export const right = (title: string): { readonly title: string; readonly align: "right" } => ({
  title,
  align: "right",
});

/** A list of sentences; nothing if there are none. */
export const sentences = (list: readonly Content[]): Content =>
  list.length === 0
    ? null
    : html`<ul>
        ${list.map((sentence) => html`<li>${sentence}</li>`)}
      </ul>`;

/** A horizontal bar of a share in [0, 1], drawn by CSS; its text stands beside it. */
export const bar = (share: number): Markup =>
  html`<span class="bar" aria-hidden="true"
    ><span style="width:${Math.round(Math.min(1, Math.max(0, share)) * 1000) / 10}%"></span
  ></span>`;

/** A section with a heading and an explanation. */
export function section(
  id: string,
  heading: string,
  explanation: Content,
  ...content: readonly Content[]
): Markup {
  return html`<section id="${id}" aria-labelledby="${id}-heading">
    <h2 id="${id}-heading">${heading}</h2>
    <p class="explanation">${explanation}</p>
    ${content}
  </section>`;
}
