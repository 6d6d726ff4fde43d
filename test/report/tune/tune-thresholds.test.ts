import { describe, expect, it } from "vitest";
import type { SelectionRecord } from "../../../src/core/record.js";
import { hashToShare } from "../../../src/core/fingerprint.js";
import { tuneThresholds } from "../../../src/report/tune/tune-thresholds.js";
import { at, pinned, seeded, shadowRecord, tool } from "../../support/logs.js";

/** One call per thread; the called tool has `probability`, and `better` tools have more. */
function call(thread: number, probability: number, better = 0, extra = {}): SelectionRecord {
  return shadowRecord({
    threadId: `t-${thread}`,
    time: at(thread),
    tools: [
      ...Array.from({ length: better }, (_, index) =>
        tool(`better_${index}`, probability + (1 - probability) / 2),
      ),
      tool("query", probability),
    ],
    ...extra,
  });
}

const isFitted = (thread: number): boolean => hashToShare(`tune:thread:t-${thread}`) < 0.6;

/** The first threads of which so many are fitted on. */
function threadsFor(fitted: number): number[] {
  const chosen: number[] = [];
  for (let thread = 0, count = 0; count < fitted; thread++) {
    chosen.push(thread);
    if (isFitted(thread)) count++;
  }
  return chosen;
}

describe("tuneThresholds", () => {
  it("puts the rejection threshold just below the k-th smallest and the cap at the k-th widest", async () => {
    const chosen = threadsFor(39);
    const fitted = chosen.filter(isFitted);
    const placeOf = new Map(fitted.map((thread, place) => [thread, place]));
    // 39 fitted units at 0.90: k = ⌊0.05 · 40⌋ = 2.
    const records = chosen.map((thread) => {
      const place = placeOf.get(thread) ?? 20;
      return call(thread, 0.3 + place / 100, place === 38 ? 9 : place === 37 ? 5 : 0);
    });
    const tuned = await tuneThresholds(records, { targetRecall: 0.9 });
    expect(tuned).toMatchObject({ verdict: "tuned", exitCode: 0, fit: { units: 39, k: 2 } });
    expect(tuned.options).toEqual({
      confidenceThreshold: 0.8,
      rejectionThreshold: 0.3099,
      maxTools: 6,
    });
    expect(tuned.check).toMatchObject({ units: chosen.length - 39, missedUnits: 0, recall: 1 });
  });

  it.each([
    { fitted: 398, exitCode: 3, k: 0 },
    { fitted: 399, exitCode: 0, k: 1 },
  ])("99.5 % with $fitted fitted units: exit $exitCode", async ({ fitted, exitCode, k }) => {
    const records = threadsFor(fitted).map((thread) => call(thread, 0.5));
    const tuned = await tuneThresholds(records, { targetRecall: 0.995 });
    expect(tuned).toMatchObject({ exitCode, fit: { units: fitted, k, unitsNeeded: 399 } });
    if (exitCode === 3) expect(tuned.reasons[0]).toContain("needs 399 units to fit on");
  });

  it("takes all calls of a unit: in fallbacks, after a miss, in every copy, but not pinned ones", async () => {
    const records = threadsFor(19).flatMap((thread) => [
      call(thread, 0.9),
      call(thread, 0.1, 0, { step: 2 }),
      call(thread, 0.04, 3, { step: 3, fallback: true, status: "uncertain", reason: "uncertain" }),
      call(thread, 0.05, 3, { step: 3, time: at(1000) }),
      shadowRecord({ threadId: `t-${thread}`, step: 4, tools: [pinned("query")] }),
      call(thread, 0.01, 0, { step: 5, outcome: { called: ["query"], error: true } }),
      call(thread, 0.01, 0, { step: 6, status: "cancelled" }),
      call(thread, 0.01, 0, { step: 7, time: at(5000), mode: "enforce", enforced: true }),
      call(thread, 0.01, 0, { step: 8, time: at(6000) }),
    ]);
    const { options } = await tuneThresholds(records, { targetRecall: 0.9 });
    expect(options).toMatchObject({ rejectionThreshold: 0.03999, maxTools: 4 });
  });

  it("raises the confidence threshold where the rejection threshold passes it", async () => {
    const records = threadsFor(19).map((thread) => call(thread, 0.95));
    const { options } = await tuneThresholds(records, { targetRecall: 0.9 });
    expect(options).toEqual({
      confidenceThreshold: 0.95,
      rejectionThreshold: 0.9499,
      maxTools: 1,
    });
  });

  it.each([
    [0.5, 0.4999],
    [0.31, 0.31 - 1e-9],
    [0.0021, 0.0020999],
  ])(
    "moves both thresholds of a judge of catalogs, which lie next to each other: %d and %d",
    async (confidenceThreshold, rejectionThreshold) => {
      const policy = {
        confidenceThreshold,
        rejectionThreshold,
        maxTools: 8,
        onUncertain: "fallback" as const,
      };
      for (const [probability, options] of [
        [0.123456, { confidenceThreshold: 0.123456, rejectionThreshold: 0.1234 }],
        [0.9, { confidenceThreshold: 0.9, rejectionThreshold: 0.8999 }],
      ] as const) {
        const records = threadsFor(19).map((thread) => call(thread, probability, 0, { policy }));
        const tuned = await tuneThresholds(records, { targetRecall: 0.9 });
        expect(tuned.options).toEqual({ ...options, maxTools: 1 });
        expect(tuned.check).toMatchObject({ missedUnits: 0 });
      }
    },
  );

  it("is not fitted on turns in which a judge of catalogs abstained as a whole", async () => {
    const records = threadsFor(19).flatMap((thread) => [
      call(thread, 0.4),
      shadowRecord({
        threadId: `t-${thread}`,
        step: 2,
        status: "uncertain",
        reason: "abstained",
        fallback: true,
        tools: [tool("query", null, { kept: true, reason: "fallback" })],
      }),
    ]);
    const { options } = await tuneThresholds(records, { targetRecall: 0.9 });
    expect(options?.rejectionThreshold).toBe(0.3999);
  });

  it("says which tool makes the recall unreachable", async () => {
    const records = threadsFor(19).map((thread) => call(thread, 0));
    const tuned = await tuneThresholds(records, { targetRecall: 0.9 });
    expect(tuned).toMatchObject({ verdict: "unreachable", exitCode: 1, options: null });
    expect(tuned.reasons[0]).toContain('"query" was called at a probability of 0');
  });

  it("counts a tool outside the shortlist as missed in the check: no threshold brings it back", async () => {
    const records = threadsFor(19).map((thread) =>
      shadowRecord({
        threadId: `t-${thread}`,
        tools: [tool("query", 0.9), { ...pinned("rare", "not-shortlisted"), kept: false }],
        outcome: { called: ["query", "rare"] },
      }),
    );
    const { check } = await tuneThresholds(records, { targetRecall: 0.9 });
    expect(check?.units).toBeGreaterThan(0);
    expect(check).toMatchObject({ missedUnits: check?.units, recall: 0, upperBound: 1 });
  });

  it("tunes every agent apart, and answers with the worst", async () => {
    const good = threadsFor(19).map((thread) => call(thread, 0.5));
    const few = [call(9999, 0.5, 0, { agent: "small" })];
    const tuned = await tuneThresholds([...good, ...few], { targetRecall: 0.9 });
    expect(tuned).toMatchObject({ agent: "small", exitCode: 3 });
    expect(tuned.agents["support"]).toMatchObject({ exitCode: 0 });
  });

  it("a log without records has too little data", async () => {
    expect(await tuneThresholds([])).toMatchObject({ exitCode: 3, cohort: null, records: 0 });
  });

  it.each([[0], [1], [Number.NaN], [-1], ["0.9"]])(
    "refuses a target of %s",
    async (targetRecall) => {
      await expect(tuneThresholds([], { targetRecall: targetRecall as number })).rejects.toThrow(
        "Expected `targetRecall` to be a number above 0 and below 1",
      );
    },
  );

  it("reaches its recall on units that were not fitted: mean over 100 seeds within half a point", async () => {
    // Truth: half of the units are hard by probability, uniform in (0, 1), the others by place, uniform in 1 to 400.
    const target = 0.95;
    const others = Array.from({ length: 400 }, () => tool("other", 1));
    let total = 0;
    for (let seed = 0; seed < 100; seed++) {
      const random = seeded(seed);
      const records = Array.from({ length: 1000 }, (_, thread) => {
        const isHardByPlace = random() < 0.5;
        const better = isHardByPlace ? others.slice(0, Math.floor(random() * 400)) : [];
        const query = tool("query", isHardByPlace ? 1 : random());
        return shadowRecord({ threadId: `s${seed}-${thread}`, tools: [...better, query] });
      });
      const { options } = await tuneThresholds(records, { targetRecall: target });
      const { rejectionThreshold, maxTools } = options ?? { rejectionThreshold: 1, maxTools: 0 };
      // The true recall of these options, by the law that made the log.
      total += 0.5 * (1 - rejectionThreshold) + 0.5 * Math.min(1, maxTools / 400);
    }
    expect(Math.abs(total / 100 - target)).toBeLessThan(0.005);
  }, 120_000);
});
