import { describe, expect, it } from "vitest";
import type { MemoryChange, ThreadMemory } from "../../../src/core/types.js";
import { recallTurn } from "../../../src/selector/memory/recall-turn.js";
import type { RecallOptions } from "../../../src/selector/memory/recall-turn.js";
import { applyMemoryChange, emptyMemory } from "../../../src/selector/memory/thread-memory.js";

const tool = (name: string, fingerprint = "f1") => ({ name, fingerprint });
const entry = (name: string, fingerprint = "f1") => ({ description: { name }, fingerprint });
const remember = (...changes: readonly MemoryChange[]): ThreadMemory =>
  changes.reduce(applyMemoryChange, emptyMemory);

const options: RecallOptions = {
  run: "r1",
  catalog: [entry("a"), entry("b"), entry("c")],
  sticky: "thread",
  stickyMax: 64,
};

describe("recallTurn", () => {
  it("recalls tools whose definition is the one that was remembered", () => {
    const memory = remember({ request: "r1", stick: [tool("a"), tool("b", "old"), tool("gone")] });
    const recalled = recallTurn(memory, options);
    expect([...recalled.sticky]).toEqual(["a"]);
    expect(recalled.change.forget).toEqual([tool("b", "old"), tool("gone")]);
  });

  it("forgets a removed tool for good: when it comes back it is unknown", () => {
    const memory = remember({ request: "r1", reveal: [tool("a")] });
    const { change } = recallTurn(memory, { ...options, catalog: [entry("b")] });
    expect([...recallTurn(applyMemoryChange(memory, change), options).revealed]).toEqual([]);
  });

  it("uses judgments again within their run only", () => {
    const judged = [
      { ...tool("a"), probability: 0.9 },
      { ...tool("b", "old"), probability: 0.1 },
    ];
    const memory = remember({ request: "r1", judged });
    expect([...recallTurn(memory, options).judged]).toEqual([["f1", 0.9]]);
    expect([...recallTurn(memory, { ...options, run: "r2" }).judged]).toEqual([]);
  });

  it.each([
    ["thread", "r1", 1, ["a", "b", "c"]],
    ["thread", "r2", 1, ["c"]],
    ["thread", "r2", 64, ["a", "b", "c"]],
    ["run", "r1", 1, ["a", "b", "c"]],
    ["run", "r2", 64, []],
    ["off", "r1", 64, []],
  ] as const)("with sticky %s in run %s, at most %i: %j", (sticky, run, stickyMax, expected) => {
    const memory = remember({ request: "r1", stick: [tool("a"), tool("b"), tool("c")] });
    const recalled = recallTurn(memory, { ...options, sticky, run, stickyMax });
    expect([...recalled.sticky]).toEqual(expected);
    const after = applyMemoryChange(memory, recalled.change);
    expect(after.sticky.map(({ name }) => name)).toEqual(expected);
  });
});
