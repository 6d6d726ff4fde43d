import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../../src/selector/memory/memory-store.js";
import { emptyMemory } from "../../../src/selector/memory/thread-memory.js";

const tool = (name: string) => ({ name, fingerprint: "f" });

describe("createMemoryStore", () => {
  it("remembers nothing without a thread id", () => {
    const store = createMemoryStore(10);
    store.change(undefined, { called: ["a"] });
    expect(store.size).toBe(0);
    expect(store.read(undefined)).toBe(emptyMemory);
  });

  it("holds 10,000 threads, and forgets the one used least recently", () => {
    const store = createMemoryStore(10_000);
    for (let index = 0; index < 10_500; index += 1) {
      store.change(`t${index}`, { called: [`c${index}`] });
      store.read("t0");
    }
    expect(store.size).toBe(10_000);
    expect(store.read("t0").called).toEqual(["c0"]);
    expect(store.read("t1")).toBe(emptyMemory);
    expect(store.read("t10499").called).toEqual(["c10499"]);
  });

  it("never lets a tool leak from one thread to another, in any interleaving", () => {
    const step = fc.record({ thread: fc.nat(49), name: fc.constantFrom("a", "__proto__", "b") });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const store = createMemoryStore(50);
        const naive = new Map<string, Set<string>>();
        for (const { thread, name } of steps) {
          const id = `thread ${thread}`;
          const unique = `${name} of ${id}`;
          store.change(id, { reveal: [tool(unique)] });
          naive.set(id, (naive.get(id) ?? new Set()).add(unique));
        }
        for (const [id, names] of naive) {
          expect(new Set(store.read(id).revealed.map(({ name }) => name))).toEqual(names);
        }
      }),
    );
  });
});
