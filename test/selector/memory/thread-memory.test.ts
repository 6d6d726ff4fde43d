import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MemoryChange, ThreadMemory } from "../../../src/core/types.js";
import {
  applyMemoryChange,
  emptyMemory,
  memoryLimits,
  parseThreadMemory,
  reduceMemory,
} from "../../../src/selector/memory/thread-memory.js";

const tool = (name: string, fingerprint = "f1") => ({ name, fingerprint });
const applyAll = (changes: readonly MemoryChange[]): ThreadMemory =>
  changes.reduce(applyMemoryChange, emptyMemory);

const name = fc.constantFrom("a", "b", "__proto__", "constructor", "x".repeat(128), "查", 'q"');
const remembered = fc.record({ name, fingerprint: fc.constantFrom("f1", "f2") });
const judgment = fc.record({
  name,
  fingerprint: fc.constant("f1"),
  probability: fc.constantFrom(0, 0.5, null),
});
const change: fc.Arbitrary<MemoryChange> = fc.record(
  {
    request: fc.constantFrom("r1", "r2"),
    forget: fc.array(remembered, { maxLength: 2 }),
    unstick: fc.array(name, { maxLength: 2 }),
    stick: fc.array(remembered, { maxLength: 4 }),
    reveal: fc.array(remembered, { maxLength: 4 }),
    called: fc.array(name, { maxLength: 4 }),
    hidden: fc.array(name, { maxLength: 4 }),
    judged: fc.array(judgment, { maxLength: 4 }),
    searched: fc.constantFrom("d1", "d2", null),
    stopped: name,
    recorded: fc.boolean(),
  },
  { requiredKeys: [] },
);

describe("applyMemoryChange", () => {
  it("keeps the place of a tool that is remembered again, with its newer definition", () => {
    const memory = applyAll([{ stick: [tool("a"), tool("b")] }, { stick: [tool("a", "f2")] }]);
    expect(memory.sticky).toEqual([tool("a", "f2"), tool("b")]);
  });

  it("forgets a tool by its definition, so that a newer one stays", () => {
    const memory = applyAll([
      { stick: [tool("a", "f2"), tool("b")], reveal: [tool("b")] },
      { forget: [tool("a", "f1"), tool("b")] },
    ]);
    expect(memory).toMatchObject({ sticky: [tool("a", "f2")], revealed: [] });
  });

  it("begins a new run with another request: judgments and searches end, the thread's lists stay", () => {
    const judged = [{ ...tool("a"), probability: 0.9 }];
    const memory = applyAll([
      { request: "r1", judged, searched: "d", stick: [tool("a")], reveal: [tool("b")] },
      { request: "r2" },
    ]);
    expect(memory.run).toEqual({ request: "r2", shown: [], judged: [], searches: [] });
    expect(memory).toMatchObject({ sticky: [tool("a")], revealed: [tool("b")] });
  });

  it("keeps the run of a change that names none, as the finder's", () => {
    const memory = applyAll([{ request: "r1" }, { searched: "d" }, { searched: "d" }]);
    expect(memory.run).toMatchObject({ request: "r1", searches: [{ digest: "d", count: 2 }] });
  });

  it("moves a tool that is called again to the end", () => {
    expect(applyAll([{ called: ["a", "b"] }, { called: ["a"] }]).called).toEqual(["b", "a"]);
  });

  it("counts what happened until a record has it", () => {
    const memory = applyAll([{ searched: "d", reveal: [tool("a")] }, { stopped: "x" }]);
    expect(memory.events).toEqual({ searches: 1, found: 1, stopped: ["x"] });
    expect(applyMemoryChange(memory, { recorded: true }).events).toEqual(emptyMemory.events);
  });

  it("remembers no judgments where there are more than it holds", () => {
    const judged = Array.from({ length: memoryLimits.judged + 1 }, (_, index) => ({
      ...tool(`t${index}`),
      probability: 0.1,
    }));
    expect(applyAll([{ request: "r", judged }]).run?.judged).toEqual([]);
  });

  it("is always valid, bounded and plain JSON, whatever the changes", () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const memory = applyAll(changes);
        expect(parseThreadMemory(JSON.parse(JSON.stringify(memory)))).toEqual(memory);
        expect(new Set(memory.sticky.map((entry) => entry.name)).size).toBe(memory.sticky.length);
      }),
      { numRuns: 300 },
    );
  });

  it("loses no addition of two steps at one time, in either order", () => {
    fc.assert(
      fc.property(fc.array(remembered), fc.array(remembered), (one, other) => {
        const names = (memory: ThreadMemory): ReadonlySet<string> =>
          new Set(memory.revealed.map((entry) => entry.name));
        const forwards = applyAll([{ reveal: one }, { reveal: other }]);
        const backwards = applyAll([{ reveal: other }, { reveal: one }]);
        expect(names(forwards)).toEqual(names(backwards));
      }),
    );
  });

  it("bounds every list, the oldest out first", () => {
    const tools = Array.from({ length: 5000 }, (_, index) => tool(`t${index}`));
    const names = tools.map((entry) => entry.name);
    const memory = applyAll([{ stick: tools, reveal: tools, called: names, hidden: names }]);
    expect(memory.sticky).toHaveLength(memoryLimits.sticky);
    expect(memory.revealed.at(-1)).toEqual(tool("t4999"));
    expect(memory.revealed).toHaveLength(memoryLimits.revealed);
    expect(memory.called).toHaveLength(memoryLimits.called);
  });
});

const judgedBadly = {
  request: "r",
  shown: [],
  judged: [{ ...tool("a"), probability: 7 }],
  searches: [],
};

describe("parseThreadMemory", () => {
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const throwing = Object.defineProperty({}, "v", {
    get: () => {
      throw new Error("no");
    },
  });
  it.each<readonly [string, unknown]>([
    ["nothing", undefined],
    ["text", "v1"],
    ["another version", { ...emptyMemory, v: 2 }],
    ["a list of the wrong type", { ...emptyMemory, sticky: "all" }],
    ["a name that is no text", { ...emptyMemory, revealed: [{ name: 1, fingerprint: "f" }] }],
    ["a probability out of range", { ...emptyMemory, run: judgedBadly }],
    ["a list without end", { ...emptyMemory, called: Array.from({ length: 9999 }, () => "a") }],
    ["a getter that throws", throwing],
    ["a revoked proxy", revoked.proxy],
  ])("reads %s as an empty memory", (_title, value) => {
    expect(parseThreadMemory(value)).toEqual(emptyMemory);
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        expect(parseThreadMemory(value).v).toBe(1);
      }),
    );
  });
});

describe("reduceMemory", () => {
  it("applies a change to what the state holds", () => {
    expect(reduceMemory(undefined, { reveal: [tool("a")] }).revealed).toEqual([tool("a")]);
  });

  it("takes over a whole memory, as a fork writes it", () => {
    const whole = applyAll([{ called: ["a"] }]);
    expect(reduceMemory(applyAll([{ called: ["b"] }]), whole)).toEqual(whole);
  });

  it.each<readonly [string, unknown]>([
    ["text", "x"],
    ["an unknown field", { reveals: [] }],
    ["nothing", null],
  ])("ignores %s", (_title, update) => {
    const memory = applyAll([{ called: ["a"] }]);
    expect(reduceMemory(memory, update)).toEqual(memory);
  });
});
