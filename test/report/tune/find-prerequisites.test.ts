import { describe, expect, it } from "vitest";
import type { SelectionRecord } from "../../../src/core/record.js";
import { tuneThresholds } from "../../../src/report/tune/tune-thresholds.js";
import { at, shadowRecord, tool } from "../../support/logs.js";
import type { RecordOverrides } from "../../support/logs.js";

/** A thread that makes these calls, the calls of one turn separated by a comma. */
function thread(id: string, calls: string, overrides: RecordOverrides = {}): SelectionRecord[] {
  return calls.split(" ").map((called, step) =>
    shadowRecord({
      threadId: id,
      step: step + 1,
      time: at(step),
      tools: called.split(",").map((name) => tool(name, 0.9)),
      ...overrides,
      outcome: { called: called.split(","), ...overrides.outcome },
    }),
  );
}

const repeat = (count: number, calls: string, overrides: RecordOverrides = {}): SelectionRecord[] =>
  Array.from({ length: count }, (_, index) => thread(`${calls} ${index}`, calls, overrides)).flat();

async function pairsOf(records: readonly SelectionRecord[]): Promise<readonly string[]> {
  const { keepTogether } = await tuneThresholds(records);
  return keepTogether.map(
    ({ first, then, threads, threadsWithThen }) => `${first} ${then} ${threads}/${threadsWithThen}`,
  );
}

describe("tools to keep together", () => {
  it("are those called before, in most threads with the later one, first calls compared", async () => {
    const records = [...repeat(6, "login transfer login"), ...repeat(2, "transfer")];
    expect(await pairsOf(records)).toEqual(["login transfer 6/8"]);
  });

  it.each([
    ["in four threads only", repeat(4, "login transfer")],
    ["in half of the threads", [...repeat(6, "login transfer"), ...repeat(6, "transfer")]],
    ["in the same turn", repeat(8, "login,transfer")],
    ["in any order", [...repeat(6, "a b"), ...repeat(6, "b a")]],
    ["where the model call failed", repeat(8, "login transfer", { outcome: { error: true } })],
    ["under enforce", repeat(8, "login transfer", { enforced: true, mode: "enforce" })],
  ])("are none that were called %s", async (_, records) => {
    expect(await pairsOf(records)).toEqual([]);
  });

  it("look at threads, also where a group has several", async () => {
    const records = Array.from({ length: 6 }, (_, index) => [
      ...thread(`one-${index}`, "login", { groupId: "g" }),
      ...thread(`two-${index}`, "transfer", { groupId: "g" }),
    ]).flat();
    expect(await pairsOf(records)).toEqual([]);
  });
});
