/** Synthetic shadow logs of known truth: records, threads and whole logs for the tests of the report. */

import type { SelectionRecord } from "../../src/core/record.js";

type Tool = SelectionRecord["tools"][number];
type Outcome = NonNullable<SelectionRecord["outcome"]>;
type Judge = NonNullable<SelectionRecord["judge"]>;

export interface RecordOverrides extends Partial<Omit<SelectionRecord, "outcome" | "judge">> {
  readonly judge?: Partial<Judge> | null;
  readonly outcome?: Partial<Outcome> | null;
}

const start = Date.parse("2025-12-01T08:00:00.000Z");

/** An ISO time some seconds after the start of all logs. */
export const at = (seconds: number): string => new Date(start + seconds * 1000).toISOString();

/** A judged tool under thresholds 0.8 and 0.2; `null` is an abstention. */
export function tool(name: string, probability: number | null, extra: Partial<Tool> = {}): Tool {
  const verdict =
    probability === null
      ? "abstained"
      : probability >= 0.8
        ? "applicable"
        : probability <= 0.2
          ? "not-applicable"
          : "uncertain";
  return {
    name,
    probability,
    verdict,
    kept: verdict !== "not-applicable",
    reason: verdict,
    tokens: 100,
    ...extra,
  };
}

/** A tool that may not be hidden. */
export const pinned = (name: string, reason = "history"): Tool => ({
  name,
  probability: null,
  verdict: null,
  kept: true,
  reason,
  tokens: 100,
});

/** A candidate without a valid answer. */
export const unjudged = (name: string, kept = true): Tool => ({
  name,
  probability: null,
  verdict: "unjudged",
  kept,
  reason: "unjudged",
  tokens: 100,
});

let nextId = 0;

/** A shadow record: `query` is applicable and called, `refund` is rejected; 2,000 tokens of which 300 are kept. */
export function shadowRecord(overrides: RecordOverrides = {}): SelectionRecord {
  const { judge, outcome, ...rest } = overrides;
  return {
    v: 1,
    id: `r-${nextId++}`,
    time: at(0),
    threadId: "t-1",
    runId: null,
    groupId: null,
    agent: "support",
    request: "m-1",
    step: 1,
    mode: "shadow",
    enforced: false,
    enforceShare: null,
    version: "v1",
    policyFingerprint: "f00d",
    status: "decided",
    reason: "selected",
    fallback: false,
    policy: {
      confidenceThreshold: 0.8,
      rejectionThreshold: 0.2,
      maxTools: 8,
      onUncertain: "fallback",
    },
    judge:
      judge === null
        ? null
        : {
            id: "jev:jev-1",
            model: "jev-1",
            batches: 1,
            requests: 1,
            retries: 0,
            latencyMs: 100,
            cached: false,
            usage: { inputTokens: 1000, outputTokens: 0, cachedInputTokens: null },
            ...judge,
          },
    catalog: { fingerprint: "cat", tools: 20, candidates: 20, definitionTokens: 2000 },
    tools: [tool("query", 0.9), tool("refund", 0.05)],
    offered: { tools: 20, definitionTokens: 2000, fingerprint: "cat" },
    suggested: { tools: 3, definitionTokens: 300, fingerprint: "sub" },
    outcome:
      outcome === null
        ? null
        : {
            called: ["query"],
            missed: [],
            model: "gpt-5-mini",
            latencyMs: 900,
            error: false,
            usage: { inputTokens: 4000, outputTokens: 50, cacheReadTokens: 0, cacheWriteTokens: 0 },
            ...outcome,
          },
    error: null,
    ...rest,
  };
}

/** A record that missed: `refund` is called and would have been hidden. */
export const missedRecord = (overrides: RecordOverrides = {}): SelectionRecord =>
  shadowRecord({ ...overrides, outcome: { called: ["refund"], ...overrides.outcome } });

/** A record whose judge failed: no answer, no judge model, the full catalog restored. */
export const failedRecord = (overrides: RecordOverrides = {}): SelectionRecord =>
  shadowRecord({
    status: "failed",
    reason: "timeout",
    fallback: true,
    tools: [unjudged("query"), unjudged("refund")].map((entry) => ({
      ...entry,
      reason: "fallback",
    })),
    suggested: { tools: 20, definitionTokens: 2000, fingerprint: "cat" },
    ...overrides,
    judge: overrides.judge === null ? null : { model: null, usage: null, ...overrides.judge },
  });

/** One record for each of `count` threads, the first `missed` of them with a miss. */
export function threads(
  count: number,
  missed = 0,
  overrides: (index: number) => RecordOverrides = () => ({}),
): SelectionRecord[] {
  return Array.from({ length: count }, (_, index) => {
    const common = { threadId: `t-${index}`, time: at(index * 60), ...overrides(index) };
    return index < missed ? missedRecord(common) : shadowRecord(common);
  });
}

/** A repeatable source of numbers in [0, 1) (mulberry32, public domain). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A standard normal number (Box–Muller). */
const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** A gamma number of shape `shape` (Marsaglia and Tsang, 2000; boosted below 1). */
function gamma(shape: number, random: () => number): number {
  if (shape < 1) return gamma(shape + 1, random) * (1 - random()) ** (1 / shape);
  const d = shape - 1 / 3;
  for (;;) {
    const x = normal(random);
    const v = (1 + x / Math.sqrt(9 * d)) ** 3;
    if (v > 0 && Math.log(1 - random()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
  }
}

/** A beta number of the given mean and intra-class correlation. */
export function beta(mean: number, correlation: number, random: () => number): number {
  const size = 1 / correlation - 1;
  const one = gamma(mean * size, random);
  const other = gamma((1 - mean) * size, random);
  return one / (one + other);
}

export interface SyntheticLogOptions {
  readonly threads: number;
  readonly turnsPerThread: number;
  readonly tools: number;
  readonly seed: number;
  /** The chance of a turn to be a fallback. */
  readonly fallbackRate?: number;
  /** The probability that the judge gives a tool that is called; by default from 0.3 to 1. */
  readonly calledProbability?: (random: () => number) => number;
}

/** A log with the variety of real ones: several turns, uncalled tools, fallbacks, abstentions, caching, retries. */
export function* syntheticLog(options: SyntheticLogOptions): Generator<SelectionRecord> {
  const random = seeded(options.seed);
  const names = Array.from({ length: options.tools }, (_, index) => `tool_${index}`);
  const probabilityOf = options.calledProbability ?? ((next) => 0.3 + 0.7 * next());
  for (let thread = 0; thread < options.threads; thread++) {
    for (let turn = 0; turn < options.turnsPerThread; turn++) {
      yield syntheticTurn({ ...options, random, names, probabilityOf }, thread, turn);
    }
  }
}

interface SyntheticWorld extends SyntheticLogOptions {
  readonly random: () => number;
  readonly names: readonly string[];
  readonly probabilityOf: (random: () => number) => number;
}

function syntheticTurn(world: SyntheticWorld, thread: number, turn: number): SelectionRecord {
  const { random, names } = world;
  const called = Math.floor(random() * names.length);
  const isFallback = random() < (world.fallbackRate ?? 0.1);
  const entries = names.map((name, index) =>
    tool(
      name,
      Number((index === called ? world.probabilityOf(random) : random() * 0.19).toFixed(4)),
    ),
  );
  const kept = entries.filter((entry) => entry.kept);
  const isDoubtful = kept.some(({ verdict }) => verdict === "uncertain");
  const restores = isFallback || isDoubtful;
  const tokens = names.length * 100;
  return shadowRecord({
    threadId: `thread-${thread}`,
    request: `m-${Math.floor(turn / 2)}`,
    step: (turn % 2) + 1,
    time: at(thread * 1000 + turn * 20),
    status: isFallback ? "failed" : isDoubtful ? "uncertain" : "decided",
    reason: isFallback ? "timeout" : isDoubtful ? "uncertain" : "selected",
    fallback: restores,
    tools: restores
      ? entries.map((entry) => ({ ...entry, kept: true, reason: "fallback" }))
      : entries,
    catalog: {
      fingerprint: "cat",
      tools: names.length,
      candidates: names.length,
      definitionTokens: tokens,
    },
    suggested: restores
      ? { tools: names.length, definitionTokens: tokens, fingerprint: "cat" }
      : {
          tools: kept.length,
          definitionTokens: kept.length * 100,
          fingerprint: `sub-${kept.map(({ name }) => name).join(" ")}`,
        },
    outcome: {
      called: random() < 0.8 ? [names[called] ?? ""] : [],
      usage: {
        inputTokens: tokens + 2000,
        outputTokens: 50,
        cacheReadTokens: turn === 0 ? 0 : tokens,
        cacheWriteTokens: turn === 0 ? tokens : 0,
      },
    },
  });
}
