import { expect, it } from "vitest";
import type { SelectionRecord } from "../../src/core/record.js";
import { computeUpperBound } from "../../src/report/verdict/bounds.js";
import { summarize } from "../../src/report/summarize.js";
import { seeded, syntheticLog } from "../support/logs.js";

const size = {
  threads: 60,
  turnsPerThread: 6,
  tools: 9,
  calledProbability: (next: () => number) => (next() < 0.1 ? 0.1 : 0.3 + 0.7 * next()),
};

/** A messy log: groups, retries, enforced threads, small talk, runs, and records in any order. */
function messyLog(seed: number): SelectionRecord[] {
  const random = seeded(seed);
  const records = [...syntheticLog({ ...size, seed })].flatMap(
    (record, index): SelectionRecord[] => {
      const thread = Math.floor(index / 6);
      const changed: SelectionRecord = {
        ...record,
        groupId: thread % 3 === 0 ? `group-${thread % 9}` : null,
        ...(thread % 10 === 7 ? { threadId: null, runId: `run-${index}` } : {}),
        ...(thread % 10 === 8 ? { threadId: null, groupId: null } : {}),
        ...(thread % 7 === 6 && index % 6 >= 3 ? { mode: "enforce", enforced: true } : {}),
        ...(random() < 0.05 ? { status: "skipped", fallback: false } : {}),
        ...(random() < 0.05 ? { outcome: null } : {}),
      };
      const later = new Date(Date.parse(record.time) + 5000).toISOString();
      return random() < 0.1
        ? [changed, { ...changed, id: `${changed.id}-again`, time: later }]
        : [changed];
    },
  );
  const order = records.map((record) => ({ record, place: random() }));
  return order.sort((one, other) => one.place - other.place).map(({ record }) => record);
}

const unitOf = ({ groupId, threadId, runId }: SelectionRecord): string | null =>
  groupId !== null
    ? `g ${groupId}`
    : threadId !== null
      ? `t ${threadId}`
      : runId !== null
        ? `r ${runId}`
        : null;

const threadOf = ({ threadId, runId, groupId }: SelectionRecord): string =>
  threadId ?? runId ?? groupId ?? "";

interface Call {
  readonly tool: string;
  readonly hidden: boolean;
}

function callsOf(record: SelectionRecord): Call[] {
  if (
    record.outcome === null ||
    record.outcome.error ||
    record.fallback ||
    record.status === "skipped"
  )
    return [];
  return record.tools
    .filter(
      ({ name, probability }) =>
        probability !== null && record.outcome?.called.includes(name ?? ""),
    )
    .map(({ name, kept }) => ({ tool: name ?? "", hidden: !kept }));
}

const groupBy = <T>(items: readonly T[], keyOf: (item: T) => string): T[][] => {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return [...groups.values()];
};

/** The definitions once more, in memory and without regard to speed. */
function naive(log: readonly SelectionRecord[]) {
  const counted = log.filter((record) => unitOf(record) !== null);
  const units = groupBy(counted, (record) => unitOf(record) ?? "");
  const totals = {
    units: 0,
    missedUnits: 0,
    exposures: 0,
    turns: 0,
    asked: 0,
    failed: 0,
    fallbacks: 0,
  };
  const savings: number[] = [];
  const tools = new Map<string, { units: number; missedUnits: number }>();
  for (const records of units) {
    const times = records.filter(({ enforced }) => enforced).map(({ time }) => time);
    const enforcedAt = times.sort()[0] ?? "~";
    const shadow = records
      .filter(({ enforced, time }) => !enforced && time < enforcedAt)
      .sort((one, other) => (one.time < other.time ? -1 : 1));
    if (shadow.length === 0) continue;
    const turns = groupBy(
      shadow,
      (record) => `${threadOf(record)}|${record.request}|${record.step}`,
    ).map((copies) => {
      const last = copies[copies.length - 1] as SelectionRecord;
      const missed = copies.flatMap(callsOf).filter(({ hidden }) => hidden);
      const clean = callsOf(last).filter(({ tool }) => !missed.some((call) => call.tool === tool));
      const seen = new Map([...clean, ...missed].map((call) => [call.tool, call]));
      return { last, copies, calls: [...seen.values()] };
    });
    for (const { last } of turns) {
      totals.turns++;
      if (last.status === "skipped") continue;
      totals.asked++;
      if (last.status === "failed") totals.failed++;
      if (last.fallback) totals.fallbacks++;
    }
    const ended = new Set<string>();
    const open = turns.filter(({ last, calls }) => {
      if (ended.has(threadOf(last))) return false;
      if (calls.some(({ hidden }) => hidden)) ended.add(threadOf(last));
      return true;
    });
    const calls = open.flatMap((turn) => turn.calls);
    totals.exposures += calls.length;
    if (calls.length > 0) totals.units++;
    if (calls.some(({ hidden }) => hidden)) totals.missedUnits++;
    for (const name of new Set(calls.map(({ tool }) => tool))) {
      const entry = tools.get(name) ?? { units: 0, missedUnits: 0 };
      entry.units++;
      if (calls.some(({ tool, hidden }) => hidden && tool === name)) entry.missedUnits++;
      tools.set(name, entry);
    }
    let saved = 0;
    let previous: { block: string | null; time: number } | null = null;
    const begun = new Set<string>();
    for (const { last, copies } of open) {
      for (const { judge } of copies) saved -= 0.1 * (judge?.usage?.inputTokens ?? 0);
      if (last.outcome === null || last.outcome.error) continue;
      const isWhole = last.fallback || last.status === "skipped";
      const block = isWhole ? last.catalog.fingerprint : last.suggested.fingerprint;
      const R = isWhole
        ? 0
        : (last.catalog.definitionTokens ?? 0) - (last.suggested.definitionTokens ?? 0);
      const c = last.outcome.usage?.cacheReadTokens ?? 0;
      const e = last.outcome.usage?.cacheWriteTokens ?? 0;
      const time = Date.parse(last.time);
      const B =
        !begun.has(threadOf(last)) ||
        previous === null ||
        previous.block !== block ||
        time - previous.time > 300_000;
      begun.add(threadOf(last));
      // gpt-5: r = 0.1, w = 1.
      saved += (c > 0 ? 0.1 : e > 0 ? 1 : 1) * R - (B ? 0.9 * Math.max(0, c - R) : 0);
      previous = { block, time };
    }
    savings.push(saved);
  }
  return { totals, savings, tools, uncounted: log.length - counted.length };
}

it.each([1, 2, 3, 4, 5, 6, 7, 8])(
  "figures equal a naive computation in memory (log %d)",
  async (seed) => {
    const log = messyLog(seed);
    const { totals, savings, tools, uncounted } = naive(log);
    const summary = await summarize(log);
    const { judged } = summary;
    expect(totals.missedUnits).toBeGreaterThan(0);
    expect(uncounted).toBeGreaterThan(0);
    expect(summary).toMatchObject({ records: log.length, uncountedRecords: uncounted });
    expect(judged).toMatchObject({
      units: totals.units,
      missedUnits: totals.missedUnits,
      exposures: totals.exposures,
      turns: totals.turns,
      askedTurns: totals.asked,
    });
    expect(judged?.upperBound).toBe(computeUpperBound(totals.missedUnits, totals.units, 0.05));
    expect(judged?.judgedShare).toBeCloseTo(1 - totals.failed / totals.asked, 12);
    expect(judged?.fallbackShare).toBeCloseTo(totals.fallbacks / totals.asked, 12);
    expect(judged?.netSaving.units).toBe(savings.length);
    expect(judged?.netSaving.mean).toBeCloseTo(
      savings.reduce((sum, saving) => sum + saving, 0) / savings.length,
      6,
    );
    const table = judged?.tools.filter(({ units }) => units > 0) ?? [];
    expect(table.length).toBe(tools.size);
    for (const { name, units, missedUnits } of table) {
      expect({ units, missedUnits }).toEqual(tools.get(name));
    }
  },
);

it("figures do not depend on the order of records", async () => {
  const log = messyLog(3);
  const { callRate: _, ...figures } = (await summarize(log)).judged ?? { callRate: [] };
  const { callRate: __, ...reversed } = (await summarize(log.toReversed())).judged ?? {
    callRate: [],
  };
  const rounded = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value), (_key, inner: unknown) =>
      typeof inner === "number" ? Number(inner.toPrecision(10)) : inner,
    );
  expect(rounded(reversed)).toEqual(rounded(figures));
});
