/**
 * What filtering saves after its own cost, in input-token equivalents, and from which stability of
 * the tools block on.
 */

import { formatNumber } from "../../core/format.js";
import type { JudgedCohort, Money, NetSaving } from "../summary.js";
import { figure, right, section, table } from "./figures.js";
import { html, name } from "./markup.js";
import type { Content, Markup } from "./markup.js";
import { unitNoun } from "../wording.js";

const path = "judged.netSaving";

function renderBreakEven({ breakEven: { turns, observed } }: NetSaving): Markup {
  const needed =
    turns === null
      ? html`With these prices no stability of the tools block makes it pay under caching.`
      : html`Under caching it pays when the tools block stays the same for at least
        ${figure(turns, `${path}.breakEven.turns`)} turns.`;
  const seen =
    observed === null
      ? html`In this log the block never changed within a conversation.`
      : html`In this log it changed every ${figure(observed, `${path}.breakEven.observed`)} turns.`;
  return html`<p>${needed} ${seen}</p>`;
}

function renderSticky({ sticky }: NetSaving): Content {
  if (sticky.length === 0) return null;
  return table(
    "The same turns with a tools block that only grows",
    [
      "sticky",
      right("net saving, mean"),
      right("at least"),
      right("block changes"),
      right("cached prefix broken"),
      right("tokens per turn"),
    ],
    sticky.map((saving, index) => {
      const at = `${path}.sticky.${index}`;
      return [
        html`<code>${saving.sticky}</code>`,
        figure(saving.mean, `${at}.mean`),
        figure(saving.lowerBound, `${at}.lowerBound`),
        figure(saving.blockChanges, `${at}.blockChanges`),
        figure(saving.brokenPrefixes, `${at}.brokenPrefixes`),
        figure(saving.suggestedTokens, `${at}.suggestedTokens`),
      ];
    }),
  );
}

function renderMoney(money: Money): Markup {
  const amount = (value: number): string => `${money.currency} ${Number(value.toPrecision(4))}`;
  return html`<p>
    In money: ${figure(money.mean, `${path}.money.mean`, amount)} on average, at least
    ${figure(money.lowerBound, `${path}.money.lowerBound`, amount)};
    ${figure(money.total, `${path}.money.total`, amount)} over all counted turns.
  </p>`;
}

function renderParts({ parts: { removed, cacheBreaks, judge } }: NetSaving): Markup {
  const rows: readonly (readonly Content[])[] = [
    [
      "definition tokens not sent, at what they would have cost",
      figure(removed, `${path}.parts.removed`),
    ],
    [
      "lost prompt cache, because the tools block changed",
      figure(cacheBreaks, `${path}.parts.cacheBreaks`),
    ],
    ["the judge", figure(judge, `${path}.parts.judge`)],
  ];
  return table(
    "Net saving = first − second − third",
    ["over all counted turns", right("input-token equivalents")],
    rows,
  );
}

function renderRatios({ ratios: list }: NetSaving): Content {
  if (list.length === 0) return null;
  return table(
    "Price ratios applied; a fresh input token is 1",
    ["model", right("turns"), right("cache read"), right("cache write"), "from"],
    list.map((ratio, index) => [
      ratio.model === null ? "unnamed" : name(ratio.model),
      figure(ratio.turns, `${path}.ratios.${index}.turns`),
      figure(ratio.cacheRead, `${path}.ratios.${index}.cacheRead`),
      figure(ratio.cacheWrite, `${path}.ratios.${index}.cacheWrite`),
      ratio.source === "default" ? "assumed" : ratio.source,
    ]),
  );
}

export function renderSaving(judged: JudgedCohort): Markup {
  const saving = judged.netSaving;
  const { full, suggested } = saving.definitionTokens;
  return section(
    "saving",
    "What it saves, after its own cost",
    "In input-token equivalents: a fresh input token of the model counts 1. Filtering is not always cheaper: a changed tools block breaks the provider's prompt cache.",
    saving.unproven === null ? null : html`<p>${saving.unproven}</p>`,
    html`<p>
      ${figure(saving.mean, `${path}.mean`)} per ${unitNoun(judged.unit)} on average over
      ${figure(saving.units, `${path}.units`)}, at least
      ${figure(saving.lowerBound, `${path}.lowerBound`)} (one-sided 95 %). Per turn the tools take
      ${figure(full, `${path}.definitionTokens.full`)} tokens in full and
      ${figure(suggested, `${path}.definitionTokens.suggested`)} as suggested.
      ${saving.assumesNoCaching ? html`<strong>Assumes no caching: best case.</strong>` : null}
    </p>`,
    saving.money === null ? null : renderMoney(saving.money),
    renderParts(saving),
    html`<p>
      The suggested tools block changed in ${figure(saving.blockChanges, `${path}.blockChanges`)} of
      ${figure(saving.followingTurns, `${path}.followingTurns`)} following turns, and the cached
      prefix would have been lost in ${figure(saving.brokenPrefixes, `${path}.brokenPrefixes`)}
      turns (first turns and long pauses included).
      ${
        judged.toolBlocks === null
          ? null
          : html`A thread sends ${figure(judged.toolBlocks.mean, "judged.toolBlocks.mean")}
            different blocks on average, ${figure(judged.toolBlocks.max, "judged.toolBlocks.max")}
            at most.`
      }
    </p>`,
    renderBreakEven(saving),
    renderSticky(saving),
    renderRatios(saving),
    html`<p class="explanation">
      Cache lifetime ${formatNumber(saving.cacheLifetimeSeconds)} s. The judge's input and output
      tokens count ${formatNumber(saving.judgeRatios.input)} and
      ${formatNumber(saving.judgeRatios.output)}.
    </p>`,
  );
}
