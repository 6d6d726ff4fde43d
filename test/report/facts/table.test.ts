import fc from "fast-check";
import { expect, it } from "vitest";
import { Table } from "../../../src/report/facts/table.js";

interface Row {
  readonly text: string;
  readonly maybe: string | null;
  readonly flag: boolean;
  readonly other: boolean;
  readonly exact: number;
  readonly known: number | null;
  readonly count: number;
}

const row = fc.record<Row>({
  text: fc.string(),
  maybe: fc.option(fc.string()),
  flag: fc.boolean(),
  other: fc.boolean(),
  exact: fc.oneof(fc.double(), fc.constant(NaN)),
  known: fc.option(fc.double({ noNaN: true })),
  count: fc.nat({ max: 65_535 }),
});

it("gives back every row as it was", () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 50 }), (rows) => {
      const table = new Table<Row>({
        text: "text",
        maybe: "text",
        flag: "flag",
        other: "flag",
        exact: Float64Array,
        known: "number or null",
        count: Uint16Array,
      });
      expect(rows.map((one) => table.push(one))).toEqual(rows.map((_, index) => index));
      expect(rows.map((_, index) => table.at(index))).toEqual(rows);
      for (const [index, { text, exact }] of rows.entries()) {
        expect(table.read(index, "text")).toBe(text);
        expect(table.read(index, "exact")).toBe(exact);
      }
    }),
  );
});
