/** Each strategy against a naive model, under random access and removal. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  alwaysEvict,
  compositeEviction,
  InvalidOptionsError,
  lruEviction,
  neverEvict,
  ttlEviction,
} from "toolsieve";
import type { EvictionStrategy } from "toolsieve";

interface Step {
  readonly sessionId: string;
  readonly kind: "access" | "remove";
  readonly waitMs: number;
}

const steps = fc.array(
  fc.record<Step>({
    sessionId: fc.constantFrom("a", "b", "c", "d", "__proto__"),
    kind: fc.constantFrom("access", "access", "access", "remove"),
    waitMs: fc.nat({ max: 60 }),
  }),
  { maxLength: 60 },
);

/**
 * What a strategy must answer: a list of uses, newest last, searched from scratch on every step.
 */
interface Model {
  readonly evicted: (uses: readonly Use[], now: Use) => readonly string[];
}
interface Use {
  readonly sessionId: string;
  readonly time: number;
}

const never: Model = { evicted: () => [] };
const always: Model = { evicted: (_, { sessionId }) => [sessionId] };
const lru = (max: number): Model => ({
  evicted: (uses, now) =>
    [...uses.filter(({ sessionId }) => sessionId !== now.sessionId), now]
      .map(({ sessionId }) => sessionId)
      .slice(0, -max),
});
const ttl = (ms: number): Model => ({
  evicted: (uses, now) =>
    uses
      .filter(({ sessionId, time }) => sessionId !== now.sessionId && now.time - time >= ms)
      .map(({ sessionId }) => sessionId),
});
const union = (...models: readonly Model[]): Model => ({
  evicted: (uses, now) => models.flatMap((model) => model.evicted(uses, now)),
});

/** Runs the steps as the sessions would: evicted sessions are removed at once. */
function compare(create: (now: () => number) => EvictionStrategy, model: Model): void {
  fc.assert(
    fc.property(steps, (walk) => {
      let time = 0;
      let uses: readonly Use[] = [];
      const strategy = create(() => time);
      for (const { sessionId, kind, waitMs } of walk) {
        time += waitMs;
        const without = (ids: readonly string[]): readonly Use[] =>
          uses.filter((use) => !ids.includes(use.sessionId));
        if (kind === "remove") {
          strategy.onRemoved(sessionId);
          uses = without([sessionId]);
          continue;
        }
        const use = { sessionId, time };
        const expected = [...new Set(model.evicted(uses, use))];
        const evicted = [...strategy.onAccess(sessionId)];
        expect(evicted.toSorted()).toEqual(expected.toSorted());
        uses = [...without([sessionId]), use];
        for (const id of evicted) strategy.onRemoved(id);
        uses = without(evicted);
      }
    }),
  );
}

describe("eviction strategies agree with a naive model", () => {
  it.each<[string, (now: () => number) => EvictionStrategy, Model]>([
    ["never", () => neverEvict(), never],
    ["always", () => alwaysEvict(), always],
    ["lru of one", () => lruEviction(1), lru(1)],
    ["lru of three", () => lruEviction(3), lru(3)],
    ["ttl", (now) => ttlEviction(100, { now }), ttl(100)],
    [
      "composite of lru and ttl",
      (now) => compositeEviction(lruEviction(2), ttlEviction(80, { now })),
      union(lru(2), ttl(80)),
    ],
    ["composite of nothing", () => compositeEviction(), never],
    [
      "composite of always and lru",
      () => compositeEviction(alwaysEvict(), lruEviction(2)),
      union(always, lru(2)),
    ],
  ])("%s", (_, create, model) => {
    compare(create, model);
  });
});

describe("eviction strategies", () => {
  it("ttl never clears the session in use, however long it has waited", () => {
    let time = 0;
    const strategy = ttlEviction(10, { now: () => time });
    strategy.onAccess("a");
    time = 1000;
    expect([...strategy.onAccess("a")]).toEqual([]);
    time = 2000;
    expect([...strategy.onAccess("b")]).toEqual(["a"]);
  });

  it("composite asks and tells every member", () => {
    const told: string[] = [];
    const member = (name: string, evicts: readonly string[]): EvictionStrategy => ({
      onAccess: (id) => {
        told.push(`${name} accessed ${id}`);
        return evicts;
      },
      onRemoved: (id) => void told.push(`${name} removed ${id}`),
    });
    const strategy = compositeEviction(member("one", ["x", "y"]), member("two", ["y"]));
    expect([...strategy.onAccess("a")]).toEqual(["x", "y"]);
    strategy.onRemoved("x");
    expect(told).toEqual(["one accessed a", "two accessed a", "one removed x", "two removed x"]);
  });

  it.each([
    ["lruEviction(0)", () => lruEviction(0)],
    ["lruEviction(1.5)", () => lruEviction(1.5)],
    ["ttlEviction(-1)", () => ttlEviction(-1)],
    ["ttlEviction(NaN)", () => ttlEviction(Number.NaN)],
    ["compositeEviction({})", () => compositeEviction({} as EvictionStrategy)],
  ])("refuse %s", (_, create) => {
    expect(create).toThrow(InvalidOptionsError);
  });
});
