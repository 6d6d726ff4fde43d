import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { selectionRecordSchema } from "../../src/core/record.js";
import { isSelectionRecord } from "../../src/report/record-check.js";
import { shadowRecord, tool } from "../support/logs.js";

const bySchema = (value: unknown): boolean => selectionRecordSchema.safeParse(value).success;

const samples = [
  shadowRecord(),
  shadowRecord({
    overrides: true,
    judge: null,
    outcome: null,
    error: { kind: "timeout", status: 504 },
  }),
  shadowRecord({
    outcome: { usage: null, model: null, latencyMs: null },
    judge: { usage: null, model: null },
    content: { request: "hi", messages: [{ role: "user", text: "hi" }] },
    tools: [tool("a", null), { ...tool("b", 1), name: null, tokens: null, verdict: null }],
  }),
  { ...shadowRecord(), extra: { anything: [1] }, error: { kind: "x" } },
];

/** Every place in a value, as a path. */
function pathsOf(value: unknown): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [[]];
  return [
    [],
    ...Object.entries(value).flatMap(([key, inner]) =>
      pathsOf(inner).map((path) => [key, ...path]),
    ),
  ];
}

const removed = Symbol("removed");

/** A copy with another value at a path. */
function replaced(value: unknown, path: readonly string[], next: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return next;
  const copy: unknown = Array.isArray(value) ? [...value] : { ...(value as object) };
  const inner = replaced(Reflect.get(copy as object, key), rest, next);
  if (inner === removed) Reflect.deleteProperty(copy as object, key);
  else Reflect.set(copy as object, key, inner);
  return copy;
}

const hostile = [
  removed,
  undefined,
  null,
  true,
  false,
  0,
  -0,
  -1,
  1,
  2,
  0.5,
  1.5,
  2 ** 53,
  1e21,
  NaN,
  Infinity,
  "",
  "1",
  "shadow",
  "applicable",
  "off",
  "keep",
  [],
  [null],
  [""],
  {},
  { kind: 1 },
  { kind: "x", status: 1.5 },
  new Date(0),
  "2026-12-01T09:30:00Z",
  "2026-12-01T09:30:00.123456+02:00",
  "2026-02-30T00:00:00Z",
  "2026-12-01",
  "2026-12-01T09:30Z",
  "2026-12-01 09:30:00Z",
  "x".repeat(300),
];

describe("the fast check of records", () => {
  it("accepts what the schema accepts", () => {
    for (const sample of samples) {
      expect(bySchema(sample)).toBe(true);
      expect(isSelectionRecord(sample)).toBe(true);
    }
  });

  it("is tested on every field of the schema", () => {
    const tested = new Set(samples.flatMap((sample) => Object.keys(sample)));
    for (const field of Object.keys(selectionRecordSchema.shape))
      expect([...tested]).toContain(field);
  });

  it("agrees with the schema at every field, for every hostile value", () => {
    let rejected = 0;
    for (const sample of samples) {
      for (const path of pathsOf(sample)) {
        for (const value of hostile) {
          const changed = replaced(sample, path, value);
          const expected = bySchema(changed);
          if (!expected) rejected++;
          expect(isSelectionRecord(changed), `${path.join(".")}: a ${typeof value}`).toBe(expected);
        }
      }
    }
    expect(rejected).toBeGreaterThan(1000);
  });

  it("agrees with the schema for any value at any field", () => {
    const place = fc.constantFrom(...samples).chain((sample) =>
      fc.record({
        sample: fc.constant(sample),
        path: fc.constantFrom(...pathsOf(sample)),
        value: fc.oneof(fc.anything(), fc.double(), fc.string(), fc.jsonValue()),
      }),
    );
    fc.assert(
      fc.property(place, ({ sample, path, value }) => {
        const changed = replaced(sample, path, value);
        expect(isSelectionRecord(changed)).toBe(bySchema(changed));
      }),
      { numRuns: 500 },
    );
  });
});
