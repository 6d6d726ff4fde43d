import { expect, it } from "vitest";
import { memorySink } from "../../src/sinks/memory.js";
import { selectionRecord } from "../support/records.js";

it("keeps records in the order in which they were written, as the same objects", () => {
  const sink = memorySink();
  const first = selectionRecord({ id: "a" });
  const second = selectionRecord({ id: "b" });
  sink.write(first);
  sink.write(second);
  expect(sink.records).toHaveLength(2);
  expect(sink.records[0]).toBe(first);
  expect(sink.records[1]).toBe(second);
});

it("shares no records with another memory sink", () => {
  const sink = memorySink();
  const other = memorySink();
  sink.write(selectionRecord());
  expect(other.records).toEqual([]);
});
