import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { catalogFingerprint, hashToShare, sha256Hex } from "../../src/core/fingerprint.js";
import { canonicalJson } from "../../src/core/json.js";

describe("sha256Hex", () => {
  it("agrees with Node's own SHA-256", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(sha256Hex(text)).toBe(createHash("sha256").update(text, "utf8").digest("hex"));
      }),
    );
  });
});

describe("canonicalJson", () => {
  it("does not depend on the order of keys, at any depth", () => {
    expect(canonicalJson({ a: { b: 1, c: 2 }, d: [1] })).toBe(
      canonicalJson({ d: [1], a: { c: 2, b: 1 } }),
    );
  });

  it.each([
    [{ a: 1 }, [["a", 1]]],
    [{ a: 1 }, { a: 2 }],
    [
      ["a", "b"],
      ["b", "a"],
    ],
    [{ a: 1 }, { entries: [["a", 1]] }],
    [null, "null"],
  ])("tells %j from %j", (left, right) => {
    expect(canonicalJson(left)).not.toBe(canonicalJson(right));
  });

  it("never throws: cycles, BigInts and throwing getters included", () => {
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    const throwing = {
      get a(): never {
        throw new Error("no");
      },
    };
    for (const value of [cyclic, 1n, throwing, undefined])
      expect(typeof canonicalJson(value)).toBe("string");
    fc.assert(fc.property(fc.anything(), (value) => void canonicalJson(value)));
  });
});

describe("catalogFingerprint", () => {
  const tool = { name: "a", description: "d", parameters: { type: "object" } };

  it.each([
    [{ ...tool, name: "b" }],
    [{ ...tool, description: "e" }],
    [{ ...tool, parameters: { type: "object", required: ["x"] } }],
    [{ ...tool, group: "g" }],
    [{ ...tool, metadata: { x: 1 } }],
  ])("changes with name, description, schema, group and metadata: %j", (other) => {
    expect(catalogFingerprint([other])).not.toBe(catalogFingerprint([tool]));
  });

  it("reads a tool that is not frozen every time", () => {
    const changing = { ...tool, metadata: { x: 1 } };
    const before = catalogFingerprint([changing]);
    changing.metadata.x = 2;
    expect(catalogFingerprint([changing])).not.toBe(before);
    const frozen = Object.freeze({ ...tool });
    expect(catalogFingerprint([frozen])).toBe(catalogFingerprint([tool]));
    expect(catalogFingerprint([frozen])).toBe(catalogFingerprint([tool]));
  });

  it("changes with the order of the tools", () => {
    const other = { name: "b" };
    expect(catalogFingerprint([tool, other])).not.toBe(catalogFingerprint([other, tool]));
  });

  it("ignores the order of keys", () => {
    const same = {
      parameters: { type: "object" },
      description: "d",
      name: "a",
    };
    expect(catalogFingerprint([same])).toBe(catalogFingerprint([tool]));
  });
});

describe("hashToShare", () => {
  it("is stable, in [0, 1), and spread evenly", () => {
    const shares = Array.from({ length: 4000 }, (_, index) => hashToShare(`id-${index}`));
    expect(shares.every((share) => share >= 0 && share < 1)).toBe(true);
    expect(hashToShare("id-1")).toBe(shares[1]);
    const below = shares.filter((share) => share < 0.1).length / shares.length;
    expect(below).toBeGreaterThan(0.08);
    expect(below).toBeLessThan(0.12);
  });
});
