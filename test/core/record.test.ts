import { describe, expect, it } from "vitest";
import { RecordFormatError, createToolSelector, parseSelectionRecord } from "../../src/index.js";
import { completeRecord } from "../../src/core/build-record.js";
import { fakeJudge } from "../../src/testing/fake-judge.js";
import { numberedTools, turnOf } from "../support/turns.js";

const recordOf = async (count: number) => {
  const selector = createToolSelector({ judge: fakeJudge() });
  return (await selector.select(turnOf(numberedTools(count)))).record;
};

describe("parseSelectionRecord", () => {
  it("reads what was written, unknown fields included", async () => {
    const record = await recordOf(3);
    const line = JSON.stringify({ ...record, future: { x: 1 } });
    expect(parseSelectionRecord(line)).toEqual({ ...record, future: { x: 1 } });
  });

  it.each([
    ["text that is not JSON", "{", "not JSON"],
    ["an empty line", "", "not JSON"],
    ["a number", "7", "field `record`"],
    ["another version", '{"v":2}', "field `v`"],
    ["null", "null", "field `record`"],
  ])("refuses %s by a clear error", (_, line, message) => {
    expect(() => parseSelectionRecord(line)).toThrow(RecordFormatError);
    expect(() => parseSelectionRecord(line)).toThrow(message);
  });

  it("names the field that is wrong, and never what it holds", async () => {
    const record = await recordOf(1);
    const line = JSON.stringify({
      ...record,
      tools: [{ ...record.tools[0], probability: "CANARY" }],
    });
    expect(() => parseSelectionRecord(line)).toThrow("field `tools.0.probability`");
    expect(() => parseSelectionRecord(line)).not.toThrow("CANARY");
  });

  it.each(["probability", "kept", "reason", "verdict", "name"])(
    "needs `%s` of every tool",
    async (field) => {
      const record = await recordOf(1);
      const tool: Record<string, unknown> = { ...record.tools[0] };
      delete tool[field];
      expect(() => parseSelectionRecord(JSON.stringify({ ...record, tools: [tool] }))).toThrow(
        RecordFormatError,
      );
    },
  );
});

describe("completeRecord", () => {
  const model = { called: ["tool_1"] };

  it("lists every tool of a catalog of 500", async () => {
    const record = completeRecord(await recordOf(500), { latencyMs: 1, error: false, model });
    expect(record.tools).toHaveLength(500);
  });

  it("lists only judged, kept or called tools of a larger one", async () => {
    const record = await recordOf(501);
    const unlisted = record.tools.map((tool) => ({ ...tool, kept: false, probability: null }));
    const tools = unlisted.map((tool, index) => (index === 7 ? { ...tool, kept: true } : tool));
    const complete = completeRecord({ ...record, tools }, { latencyMs: 1, error: false, model });
    expect(complete.tools.map(({ name }) => name)).toEqual(["tool_1", "tool_7"]);
    expect(complete.outcome?.missed).toEqual(["tool_1"]);
  });

  it("counts a name that a kept tool shares as no miss", async () => {
    const record = await recordOf(2);
    const [first, second] = record.tools;
    const tools = [
      { ...first, name: "x", kept: false },
      { ...second, name: "x", kept: true },
    ] as typeof record.tools;
    const complete = completeRecord(
      { ...record, tools },
      { latencyMs: 1, error: false, model: { called: ["x"] } },
    );
    expect(complete.outcome?.missed).toEqual([]);
  });

  it("keeps unknown usage null, never 0", async () => {
    const complete = completeRecord(await recordOf(1), {
      latencyMs: 1,
      error: false,
      model: { called: [], usage: { inputTokens: -1, outputTokens: Number.NaN } },
    });
    expect(complete.outcome?.usage).toBeNull();
  });
});
