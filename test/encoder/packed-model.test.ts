import { describe, expect, it } from "vitest";
import { listSections } from "../../src/encoder/model-shape.js";
import { codeOfLevel, levels, numbersOffset, unpackModel } from "../../src/encoder/packed-model.js";
import { encoderModule } from "../../training/pack-encoder.js";
import { randomEncoder } from "../support/random-encoder.js";

const packed = randomEncoder({ layers: 1 });
const { unitCount, numberCount } = listSections(packed.shape);
const all = Array.from({ length: 2 * levels + 1 }, (_, index) => index - levels);

describe("unpackModel", () => {
  it("reads every level from its character, wherever it stands", () => {
    const expected = Array.from(
      { length: unitCount },
      (_, index) => all[(index + (index >> 8)) % all.length] as number,
    );
    const units = Buffer.from(expected.map(codeOfLevel)).toString("latin1");
    const memory = new ArrayBuffer(numbersOffset(unitCount) + 4 * numberCount);
    unpackModel({ ...packed, units }, memory);
    expect([...new Int8Array(memory, 0, unitCount)]).toEqual(expected);
  });

  it("reads numbers exactly", () => {
    const memory = new ArrayBuffer(numbersOffset(unitCount) + 4 * numberCount);
    unpackModel(packed, memory);
    const bytes = new Uint8Array(memory, numbersOffset(unitCount));
    expect(Buffer.from(bytes).toString("base64")).toBe(packed.numbers);
  });

  it.each([
    ["units", { units: packed.units.slice(1) }],
    ["numbers", { numbers: packed.numbers.slice(8) }],
  ])("refuses a model with too few %s", (_, part) => {
    const memory = new ArrayBuffer(numbersOffset(unitCount) + 4 * numberCount);
    expect(() => unpackModel({ ...packed, ...part }, memory)).toThrow("do not fit its shape");
  });
});

describe("encoderModule", () => {
  it("uses printable characters that need no escape", () => {
    const characters = String.fromCharCode(...all.map(codeOfLevel));
    expect(new Set(characters).size).toBe(all.length);
    expect(characters).toMatch(/^[#-[\]-~]+$/);
    expect(encoderModule(packed)).toContain(JSON.stringify(packed.units));
  });
});
