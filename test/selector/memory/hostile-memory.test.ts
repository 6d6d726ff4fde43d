/** Names that a model or a server made up, and two tools with one name, in the memory of a thread. */

import { describe, expect, it } from "vitest";
import { createToolSelector } from "../../../src/index.js";
import {
  emptyMemory,
  isHiddenCall,
  reduceMemory,
} from "../../../src/selector/memory/thread-memory.js";
import { turnOf } from "../../support/turns.js";

describe("a change with a name that is too long to remember", () => {
  const long = "x".repeat(600);
  it.each([
    ["called", { called: [long, "refund"], hidden: ["hidden_tool"] }],
    ["hidden", { hidden: [long, "hidden_tool"] }],
    ["shown", { stick: [{ name: long, fingerprint: "f" }], hidden: ["hidden_tool"] }],
  ])("is remembered without it: %s", (_title, change) => {
    const memory = reduceMemory(emptyMemory, { ...change, catalog: "c" });
    expect(memory.catalog).toBe("c");
    expect(isHiddenCall(memory, "hidden_tool")).toBe(true);
    expect(JSON.stringify(memory)).not.toContain(long);
  });
});

describe("two tools with one name, one of them hidden", () => {
  it("does not stop a call of the one that is offered", async () => {
    const selector = createToolSelector({
      judge: ({ candidates }) =>
        candidates.map(({ description }) => (description === "Refunds an order." ? 0.95 : 0.05)),
      mode: "enforce",
      guard: true,
    });
    const tools = [
      { name: "refund", description: "Refunds an order." },
      { name: "refund", description: "Prints a form." },
      { name: "login", description: "Logs in." },
    ];
    const turn = turnOf(tools, {
      messages: [{ role: "user", text: "refund it" }],
      threadId: "t1",
    });
    expect((await selector.select(turn)).tools).toEqual([tools[0]]);
    expect(selector.guardCall(turn, "refund")).toBeNull();
    expect(selector.guardCall(turn, "login")).not.toBeNull();
  });
});
