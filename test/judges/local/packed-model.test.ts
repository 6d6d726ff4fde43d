import { describe, expect, it } from "vitest";
import { column } from "../../../src/judges/local/feature-names.js";
import { openModel } from "../../../src/judges/local/packed-model.js";
import { probabilityOf } from "../../../src/judges/local/trees.js";
import { packModel, weightsModule } from "../../../training/packing.js";

const vectors = Float32Array.from({ length: 3 * 100 }, (_, index) => Math.sin(index * 1.7));
const table = {
  stems: ["weath", "mail", "invoic"],
  dimensions: 100,
  vectors,
  weights: Float32Array.from([0.2, 0.9, 1]),
  background: [vectors.subarray(0, 100)],
};
const trees = {
  depth: 1,
  bias: -1,
  features: Uint8Array.from([column.bm25, column.meaning]),
  thresholds: Float32Array.from([0.5, Infinity]),
  leaves: Float32Array.from([-2, 3, 0.25, 100]),
};
const packed = packModel({ table, trees });

describe("a packed model", () => {
  it("keeps the directions of words to within two degrees", () => {
    const { table: opened } = openModel(packed);
    for (const [id, stem] of table.stems.entries()) {
      expect(opened.idOf(stem)).toBe(id);
      opened.readRow(id);
      const row = vectors.subarray(id * 100, (id + 1) * 100);
      const length = Math.hypot(...row);
      let cosine = 0;
      row.forEach((value, index) => {
        cosine += (value / length) * (opened.units[id * 100 + index] ?? 0);
      });
      expect(cosine).toBeGreaterThan(Math.cos((2 * Math.PI) / 180));
      expect(opened.lengthOf(id)).toBeCloseTo(length * (table.weights[id] ?? 0), 2);
      expect(opened.weightOf(id)).toBeCloseTo(table.weights[id] ?? 0, 3);
    }
  });

  it("weighs words outside the table as rare ones", () => {
    const { table: opened } = openModel(packed);
    expect(opened.idOf("unheard")).toBeUndefined();
    expect(opened.weightOf(3)).toBe(1);
  });

  it.each([
    ["above the threshold", 0.6, -1 + 3 + 0.25],
    ["at the threshold", 0.5, -1 - 2 + 0.25],
  ])("adds the leaves that a row falls into: %s", (_, bm25, logOdds) => {
    const row = new Float32Array(Object.keys(column).length);
    row[column.bm25] = bm25;
    row[column.meaning] = 0.9;
    const probability = probabilityOf(openModel(packed).trees, row, 0);
    expect(probability).toBeCloseTo(1 / (1 + Math.exp(-logOdds)), 5);
  });

  it("is text that needs no escape in a module", () => {
    expect(packed.units).toMatch(/^[\u0023-\u005b\u005d-\u007e]+$/);
    const text = weightsModule(packed);
    const json = text.slice(text.indexOf("= {") + 2, text.lastIndexOf(";"));
    expect(JSON.parse(json)).toEqual(packed);
  });

  it("refuses weights of other features than the code computes", () => {
    const wrong = { ...packed, trees: { ...packed.trees, features: [200, 0] } };
    expect(() => openModel(wrong)).toThrow(RangeError);
  });
});
