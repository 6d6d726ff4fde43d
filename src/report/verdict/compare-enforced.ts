/** The second gate: enforced units against control units of the same period, harm by harm. Pure. */

import { sum } from "../../core/sum.js";
import { BlockCount } from "../units/block-count.js";
import { compareShares } from "./bounds.js";
import type { Share } from "./bounds.js";
import type {
  EnforcedComparison,
  HarmComparison,
  HarmName,
  ReportVerdict,
  Distribution,
  RecoverySummary,
} from "../summary.js";
import type { TurnFacts } from "../facts/turn-facts.js";
import { exitCodes, findWorst } from "./decide-verdict.js";
import { formatPercent } from "../../core/format.js";

/** Two percentage points more harm than in control is too much. */
const harmMargin = 0.02;

/** One unit's turns of one policy, enforced and control, in any order. */
export type ComparedUnit = readonly TurnFacts[];

interface Sides {
  readonly enforced: Share;
  readonly control: Share;
}

/** True if the turns of a unit show a harm; `null` if they cannot show it. */
type HarmTest = (turns: ComparedUnit) => boolean | null;

function testLabels(labels: ReadonlyMap<string, boolean>): HarmTest {
  return (turns) => {
    const known = [...new Set(turns.map(({ thread }) => thread))].flatMap(
      (thread) => labels.get(thread) ?? [],
    );
    return known.length === 0 ? null : known.includes(false);
  };
}

function createHarmTests(
  labels: ReadonlyMap<string, boolean> | undefined,
): ReadonlyMap<HarmName, HarmTest> {
  const tests = new Map<HarmName, HarmTest>([
    ["model-error", (turns) => turns.some(({ modelError }) => modelError)],
    ["hidden-or-unknown-call", (turns) => turns.some(({ strayCall }) => strayCall)],
    ["find-tools-reveal", (turns) => turns.some(({ revealed }) => revealed)],
    ["no-tool-call", (turns) => !turns.some(({ called }) => called.length > 0)],
  ]);
  return labels === undefined ? tests : tests.set("labelled-failure", testLabels(labels));
}

function countShare(units: readonly ComparedUnit[], test: HarmTest): Share {
  const answers = units.map(test).filter((answer) => answer !== null);
  return { hits: answers.filter(Boolean).length, units: answers.length };
}

/** The interval that the same sides, `factor` times as large and equally bad, would have. */
function boundNoDifference({ enforced, control }: Sides, factor: number, alpha: number) {
  const rate = (enforced.hits + control.hits) / (enforced.units + control.units);
  const scaled = ({ units }: Share): Share => ({
    hits: rate * units * factor,
    units: units * factor,
  });
  return compareShares(scaled(enforced), scaled(control), alpha);
}

/** Enforced units that could show non-inferiority at the observed rate and ratio of sides. */
function countUnitsToShow(sides: Sides, alpha: number): number {
  let high = 1 / sides.enforced.units;
  while (boundNoDifference(sides, high, alpha).high >= harmMargin) high *= 2;
  let low = high / 2;
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2;
    if (boundNoDifference(sides, middle, alpha).high < harmMargin) high = middle;
    else low = middle;
  }
  return Math.ceil(sides.enforced.units * high - 1e-6);
}

function compareHarm(harm: HarmName, sides: Sides, alpha: number): HarmComparison {
  const counts = (side: Share): { units: number; withHarm: number } => ({
    units: side.units,
    withHarm: side.hits,
  });
  const common = { harm, enforced: counts(sides.enforced), control: counts(sides.control) };
  if (sides.enforced.units === 0 || sides.control.units === 0) {
    return {
      ...common,
      difference: null,
      lowerBound: null,
      upperBound: null,
      verdict: "no-evidence",
      enforcedUnitsNeeded: null,
    };
  }
  const { difference, low, high } = compareShares(sides.enforced, sides.control, alpha);
  const needed = countUnitsToShow(sides, alpha);
  const verdict = ((): ReportVerdict => {
    if (high < harmMargin) return "ready";
    return low > harmMargin || sides.enforced.units >= needed ? "not-ready" : "no-evidence";
  })();
  return {
    ...common,
    difference,
    lowerBound: low,
    upperBound: high,
    verdict,
    enforcedUnitsNeeded: needed,
  };
}

const harmTexts: Readonly<Record<HarmName, string>> = {
  "model-error": "a model error",
  "hidden-or-unknown-call": "a call of a hidden or unknown tool",
  "find-tools-reveal": "a tool revealed by find_tools",
  "no-tool-call": "no tool call at all",
  "labelled-failure": "a failure by the labels",
};

function explainHarm(harm: HarmComparison): string {
  const what = `Units with ${harmTexts[harm.harm]}`;
  if (harm.difference === null || harm.upperBound === null) {
    return `${what}: one side has no units to compare.`;
  }
  const sides = `${harm.enforced.withHarm} of ${harm.enforced.units} enforced, ${harm.control.withHarm} of ${harm.control.units} in control`;
  const bound = `up to ${formatPercent(harm.upperBound)} more cannot be excluded, ${formatPercent(harmMargin)} is the limit`;
  const needed =
    harm.verdict === "no-evidence"
      ? `; about ${harm.enforcedUnitsNeeded} enforced units are needed`
      : "";
  return `${what}: ${sides}; ${bound}${needed}.`;
}

/** The input of a comparison: one policy of one agent. */
export interface ComparisonInput {
  /** Every unit's turns under this policy within the enforced period. */
  readonly units: readonly ComparedUnit[];
  readonly from: number;
  readonly to: number;
  readonly version: string | null;
  readonly policyFingerprint: string;
  readonly enforceShares: readonly number[];
  readonly labels: ReadonlyMap<string, boolean> | undefined;
  readonly alpha: number;
}

function sumRecovery(turns: readonly TurnFacts[]): RecoverySummary {
  const add = (count: (turn: TurnFacts) => number): number => sum(turns.map(count));
  return {
    turns: turns.length,
    searches: add(({ searches }) => searches),
    foundTools: add(({ foundTools }) => foundTools),
    recoveredCalls: add(({ recoveredCalls }) => recoveredCalls),
    stoppedCalls: add(({ stoppedCalls }) => stoppedCalls),
  };
}

function countBlocks(units: readonly ComparedUnit[]): Distribution | null {
  const count = new BlockCount();
  for (const turns of units) count.add(turns, "offeredBlock");
  return count.finish();
}

/** Compares enforced with control units; those that were both are on neither side. */
export function compareEnforced(input: ComparisonInput): EnforcedComparison {
  const enforced = input.units.filter((turns) => turns.every((turn) => turn.enforced));
  const control = input.units.filter((turns) => turns.every((turn) => !turn.enforced));
  const harms = [...createHarmTests(input.labels)].map(([harm, test]) =>
    compareHarm(
      harm,
      { enforced: countShare(enforced, test), control: countShare(control, test) },
      input.alpha,
    ),
  );
  const verdict = findWorst(harms)?.verdict ?? "no-evidence";
  const decisive = harms.filter((harm) => harm.verdict === verdict);
  return {
    verdict,
    exitCode: exitCodes[verdict],
    reasons: decisive.map(explainHarm),
    margin: harmMargin,
    from: new Date(input.from).toISOString(),
    to: new Date(input.to).toISOString(),
    version: input.version,
    policyFingerprint: input.policyFingerprint,
    enforceShares: input.enforceShares,
    enforcedUnits: enforced.length,
    controlUnits: control.length,
    mixedUnits: input.units.length - enforced.length - control.length,
    harms,
    recovery: sumRecovery(input.units.flat().filter((turn) => turn.enforced)),
    toolBlocks: { enforced: countBlocks(enforced), control: countBlocks(control) },
  };
}
