/** The what-if: other thresholds, caps and policies, recomputed from the recorded probabilities. Exploration only. */

import type { JudgedCohort, WhatIf, WhatIfRow } from "../summary.js";
import { figure, number, right, section, table } from "./figures.js";
import { percent } from "../wording.js";
import { html, jsonScript } from "./markup.js";
import type { Content, Markup } from "./markup.js";

const rowsInTable = 12;

type Choice = keyof Pick<
  WhatIfRow,
  "rejectionThreshold" | "confidenceThreshold" | "maxTools" | "onUncertain"
>;

function choose(
  label: string,
  key: Choice,
  values: readonly (string | number)[],
  current: WhatIfRow | undefined,
): Markup {
  const isCurrent = (value: string | number): boolean => current?.[key] === value;
  return html`<label
    >${label}
    <select name="${key}">
      ${values.map((value) =>
        isCurrent(value)
          ? html`<option value="${value}" selected>${value} (recorded)</option>`
          : html`<option value="${value}">${value}</option>`,
      )}
    </select>
  </label>`;
}

function form(whatIf: WhatIf, current: WhatIfRow | undefined): Markup {
  return html`<form id="what-if-form" hidden>
      ${choose("rejectionThreshold", "rejectionThreshold", whatIf.rejectionThresholds, current)}
      ${choose("confidenceThreshold", "confidenceThreshold", whatIf.confidenceThresholds, current)}
      ${choose("maxTools", "maxTools", whatIf.maxTools, current)}
      ${choose("onUncertain", "onUncertain", ["fallback", "keep"], current)}
    </form>
    <output id="what-if-result" for="what-if-form" aria-live="polite"></output>`;
}

/** The recorded policy, then those that would have missed nothing more and removed the most. */
function worthShowing({ rows }: WhatIf): readonly number[] {
  const current = rows.findIndex((row) => row.current);
  const missed = rows[current]?.missedUnits ?? 0;
  const others = rows
    .map((row, index) => ({ row, index }))
    .filter(({ row, index }) => index !== current && row.missedUnits <= missed)
    .sort(
      (a, b) => b.row.removedShare - a.row.removedShare || a.row.missedUnits - b.row.missedUnits,
    )
    .map(({ index }) => index);
  return [...(current === -1 ? [] : [current]), ...others].slice(0, rowsInTable);
}

function row(entry: WhatIfRow, index: number): readonly Content[] {
  const path = `judged.whatIf.rows.${index}`;
  return [
    `${entry.onUncertain}${entry.current ? " (recorded)" : ""}`,
    figure(entry.rejectionThreshold, `${path}.rejectionThreshold`),
    figure(entry.confidenceThreshold, `${path}.confidenceThreshold`),
    figure(entry.maxTools, `${path}.maxTools`),
    [
      figure(entry.missedUnits, `${path}.missedUnits`),
      " of ",
      figure(entry.units, `${path}.units`),
    ],
    figure(entry.upperBound, `${path}.upperBound`, percent),
    figure(entry.fallbackShare, `${path}.fallbackShare`, percent),
    figure(entry.meanTools, `${path}.meanTools`),
    figure(entry.removedShare, `${path}.removedShare`, percent),
  ];
}

export function whatIfSection(judged: JudgedCohort): Markup {
  const { whatIf } = judged;
  const current = whatIf.rows.find((candidate) => candidate.current);
  const columns = [
    "onUncertain",
    right("rejection"),
    right("confidence"),
    right("maxTools"),
    right("units that miss"),
    right("at most"),
    right("fallbacks"),
    right("tools offered"),
    right("tokens not sent"),
  ];
  return section(
    "what-if",
    "What if the policy were another?",
    html`Recomputed from the recorded probabilities of ${number(whatIf.turns)} turns
      (${number(whatIf.leftOut)} lack some and are left out); pins as recorded. Exploration: a
      policy that is chosen on this log must prove itself on another one (<code>toolsieve tune</code
      >). It never moves the verdict.`,
    whatIf.rows.length === 0
      ? html`<p>No turn has all its probabilities.</p>`
      : [
          form(whatIf, current),
          table(
            "The recorded policy, and others that miss no more, by tokens not sent",
            columns,
            worthShowing(whatIf).flatMap((index) => {
              const entry = whatIf.rows[index];
              return entry === undefined ? [] : [row(entry, index)];
            }),
          ),
          jsonScript("what-if-rows", whatIf.rows),
        ],
  );
}
