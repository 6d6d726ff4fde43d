import { describe, expect, it } from "vitest";
import type { ThreadMemory, TurnMessage } from "../../../src/core/types.js";
import { identifyRun } from "../../../src/selector/memory/identify-run.js";
import { applyMemoryChange, emptyMemory } from "../../../src/selector/memory/thread-memory.js";

const user = (text: string, id?: string): TurnMessage => ({ role: "user", text, id });
const assistant: TurnMessage = { role: "assistant", text: "" };
const remember = (messages: readonly TurnMessage[]): ThreadMemory => {
  const request = identifyRun(messages, emptyMemory) ?? undefined;
  return applyMemoryChange(emptyMemory, { request });
};

describe("identifyRun", () => {
  it("is the same for all steps that answer one user message", () => {
    const first = identifyRun([user("hi", "m1")], emptyMemory);
    expect(identifyRun([user("hi", "m1"), assistant], emptyMemory)).toBe(first);
    const next = [user("hi", "m1"), assistant, user("hi", "m2")];
    expect(identifyRun(next, emptyMemory)).not.toBe(first);
  });

  it("tells messages without an id apart by ordinal and text", () => {
    const one = identifyRun([user("yes")], emptyMemory);
    expect(identifyRun([user("no")], emptyMemory)).not.toBe(one);
    expect(identifyRun([user("yes"), assistant, user("yes")], emptyMemory)).not.toBe(one);
  });

  it("holds no text of the message", () => {
    expect(identifyRun([user("canary")], emptyMemory)).not.toContain("canary");
  });

  it("goes on where a summary replaced the message that began it", () => {
    const memory = remember([user("long task", "m1")]);
    const summary = [user("Here is a summary.", "s1"), assistant, assistant];
    expect(identifyRun(summary, memory)).toBe(memory.run?.request);
  });

  it("ends with a new user message, also after a summary", () => {
    const memory = remember([user("long task", "m1")]);
    const messages = [user("summary", "s1"), assistant, user("next", "m2")];
    expect(identifyRun(messages, memory)).not.toBe(memory.run?.request);
  });

  it("is null where nobody asked anything", () => {
    expect(identifyRun([assistant], emptyMemory)).toBeNull();
  });
});
