import { describe, expect, it } from "vitest";
import type { SelectionRecord } from "../../../src/core/record.js";
import { summarize } from "../../../src/report/summarize.js";
import type { NetSaving } from "../../../src/report/summary.js";
import { at, shadowRecord, tool } from "../../support/logs.js";
import type { RecordOverrides } from "../../support/logs.js";

const names = ["a", "b", "c"];

/** A turn that keeps these of three tools of 1,000 tokens each, in a catalog of 10,000, everything read from the cache. */
function turn(step: number, kept: string, overrides: RecordOverrides = {}): SelectionRecord {
  return shadowRecord({
    step,
    time: at(step),
    tools: names.map((name) => tool(name, kept.includes(name) ? 0.9 : 0.1, { tokens: 1000 })),
    catalog: { fingerprint: "cat", tools: 10, candidates: 10, definitionTokens: 10_000 },
    suggested: { tools: kept.length, definitionTokens: kept.length * 1000, fingerprint: kept },
    judge: { usage: { inputTokens: 0, outputTokens: 0, cachedInputTokens: null } },
    outcome: {
      called: [],
      model: "unknown-model",
      usage: { inputTokens: 30_000, outputTokens: 1, cacheReadTokens: 30_000, cacheWriteTokens: 0 },
    },
    ...overrides,
  });
}

async function savingOf(records: readonly SelectionRecord[]): Promise<NetSaving> {
  const { judged } = await summarize(records);
  if (judged === null) throw new Error("Expected a judged cohort.");
  return judged.netSaving;
}

describe("sticky", () => {
  it("turns a block that toggles into one that grows, and says what it sends and saves then", async () => {
    const saving = await savingOf([turn(1, "a"), turn(2, "b"), turn(3, "a"), turn(4, "b")]);
    expect(saving).toMatchObject({ blockChanges: 3, brokenPrefixes: 4 });
    const [run, thread] = saving.sticky;
    expect(run).toMatchObject({ sticky: "run", blockChanges: 1, brokenPrefixes: 2 });
    expect(thread).toMatchObject({ sticky: "thread", blockChanges: 1, brokenPrefixes: 2 });
    expect(thread?.suggestedTokens).toBe((1000 + 3 * 2000) / 4);
    // 0.1 of 9,000, then of 8,000 tokens, less 1.15 of what is left of the cached 30,000 where the block is new.
    const broken = 1.15 * (30_000 - 9000) + 1.15 * (30_000 - 8000);
    expect(thread?.mean).toBeCloseTo(0.1 * (9000 + 3 * 8000) - broken, 6);
  });

  it("forgets at the next user message with the scope of a run, and not with that of a thread", async () => {
    const { sticky } = await savingOf([
      turn(1, "a", { request: "m-1" }),
      turn(2, "b", { request: "m-1" }),
      turn(3, "c", { request: "m-2" }),
    ]);
    expect(sticky.map(({ suggestedTokens }) => suggestedTokens)).toEqual([
      (1000 + 2000 + 1000) / 3,
      (1000 + 2000 + 3000) / 3,
    ]);
  });

  it("does not remember a fallback, and never crosses threads", async () => {
    const fallback = turn(2, "abc", {
      fallback: true,
      suggested: { tools: 10, definitionTokens: 10_000, fingerprint: "cat" },
    });
    const { sticky } = await savingOf([
      turn(1, "a"),
      fallback,
      turn(3, "a"),
      turn(4, "b", { threadId: "t-2" }),
    ]);
    expect(sticky[1]?.suggestedTokens).toBe((1000 + 10_000 + 1000 + 1000) / 4);
  });

  it("is empty where the tools of a block are unknown", async () => {
    const unknown = { tools: 1, definitionTokens: 1000, fingerprint: null };
    expect((await savingOf([turn(1, "a", { suggested: unknown })])).sticky).toEqual([]);
  });

  it("is what the advice names, where it pays and the recorded block does not", async () => {
    // In each thread the block toggles for sixty turns: one break is paid back, sixty are not.
    const records = Array.from({ length: 300 }, (_, thread) =>
      Array.from({ length: 60 }, (_, step) => ({
        ...turn(step + 1, step % 2 === 0 ? "a" : "b", {
          threadId: `t-${thread}`,
          outcome: {
            called: [step % 2 === 0 ? "a" : "b"],
            model: "unknown-model",
            usage: {
              inputTokens: 12_000,
              outputTokens: 1,
              cacheReadTokens: step === 0 ? 0 : 12_000,
              cacheWriteTokens: 0,
            },
          },
        }),
      })),
    ).flat();
    const { verdict, changes } = await summarize(records);
    expect(verdict).toBe("not-ready");
    expect(changes.join(" ")).toMatch(/With sticky: "run" these turns would have saved [\d,]+ per/);
  }, 60_000);
});
