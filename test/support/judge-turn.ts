/** One turn of a real agent with a judge under test, and what it left behind. */

import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import type { ToolSelectorOptions } from "../../src/core/options.js";
import type { SelectionRecord } from "../../src/core/record.js";
import type { Judge, JudgeFunction } from "../../src/core/types.js";
import { agentWith, ask, lastText, namedTools } from "../adapters/support.js";

export interface JudgedTurn {
  /** What the model answered. */
  readonly text: string;
  /** Names of the tools that the model was offered. */
  readonly offered: readonly string[];
  readonly record: SelectionRecord;
  readonly durationMs: number;
}

/** Names of the tools of a turn, unless it brings its own. */
export const toolNames = ["query_order", "refund", "weather"];

/** Runs one turn through `createAgent`, in enforce unless told otherwise. */
export async function judgeTurn(
  judge: Judge | JudgeFunction,
  options: {
    readonly selector?: ToolSelectorOptions;
    readonly tools?: readonly unknown[];
    readonly request?: string;
    readonly signal?: AbortSignal;
  } = {},
): Promise<JudgedTurn> {
  const { agent, model, records } = agentWith({
    tools: options.tools ?? namedTools(...toolNames),
    selector: { mode: "enforce", judge, ...options.selector },
  });
  const start = performance.now();
  const result = await agent.invoke(
    ask(options.request ?? "Where is order A1001?"),
    options.signal === undefined ? {} : { signal: options.signal },
  );
  const durationMs = performance.now() - start;
  const [record] = await records();
  if (record === undefined) throw new Error("Expected a record of the turn.");
  return {
    text: lastText(result),
    offered: model.calls[0]?.toolNames ?? [],
    record,
    durationMs,
  };
}

const timers = (): number =>
  process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;

/** Fails every test of the file that leaves an unhandled rejection or a running timer behind. */
export function watchForLeaks(): void {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => {
    unhandled.push(reason);
  };
  let before = 0;
  beforeAll(() => void process.on("unhandledRejection", note));
  afterAll(() => void process.off("unhandledRejection", note));
  beforeEach(() => {
    before = timers();
  });
  afterEach(async () => {
    // Clients have timers of their own that end shortly; one of ours would outlast this.
    const end = performance.now() + 500;
    do {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    } while (timers() > before && performance.now() < end);
    expect(unhandled.splice(0)).toEqual([]);
    expect(timers()).toBeLessThanOrEqual(before);
  });
}
