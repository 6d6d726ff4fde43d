/**
 * createToolSelector: the one loop. A turn in, a selection out; `run` wraps a model step and writes
 * its record.
 */

import * as z from "zod";
import { yieldToEventLoop } from "../core/slices.js";
import { createCatalogReader } from "../core/catalog.js";
import { fingerprintPolicy, resolveOptions } from "../core/options.js";
import type { ResolvedOptions, ToolSelectorOptions } from "../core/options.js";
import { integerFrom, parseOptions } from "../core/parse-options.js";
import { snapshotTurn } from "../core/snapshot.js";
import type { Selection, Turn } from "../core/types.js";
import { createFallbackMonitor } from "./fallback-monitor.js";
import { toJudge } from "../judges/judge.js";
import { localJudge } from "../judges/local/local-judge.js";
import { notifyStep, runStep, unwrapStep } from "./model-step.js";
import type { ModelStep } from "./model-step.js";
import { prepareTools } from "./prepare-tools.js";
import type { PrepareOptions } from "./prepare-tools.js";
import { createRecorder } from "./recorder.js";
import { cancelIfAborted, selectTools } from "./select-tools.js";
import type { TurnResult } from "./select-tools.js";
import { resolveTurnPolicy } from "./turn-policy.js";
import type { TurnPolicy } from "./turn-policy.js";
import { createWarnOnce } from "../core/warn-once.js";

/** Selects tools before every model turn. */
export interface ToolSelector {
  readonly options: ResolvedOptions;
  /** SHA-256 over every option that changes a selection. */
  readonly policyFingerprint: string;
  /** How often a sink failed so far, or was too slow to take a record. */
  readonly sinkFailures: number;
  /**
   * Judges a turn and selects its tools. Writes no record.
   *
   * @throws only the abort reason of the turn's own signal, and (in enforce) control flow of the
   * host that the judge threw.
   */
  select<T>(turn: Turn<T>): Promise<Selection<T>>;
  /**
   * Wraps one model step: mode, shadow beside the model, outcome, one record. Adapters are thin
   * layers over this.
   *
   * @throws the error of `callModel`; the abort reason of the turn's own signal, in which case the
   * model is not called.
   */
  run<T, R>(turn: Turn<T>, step: ModelStep<T, R>): Promise<R>;
  /**
   * Warms the per-tool data of the judge, such as vectors. Never rejects; resolves when it is done.
   *
   * @param tools the tools of the turns to come, as objects that these turns will hold.
   */
  prepare(tools: readonly unknown[], options?: PrepareOptions): Promise<void>;
  /**
   * Waits for shadow judgments in flight and for every sink. Never rejects.
   *
   * @param options.timeoutMs at most so long; 5,000 by default.
   */
  flush(options?: { readonly timeoutMs?: number }): Promise<void>;
  /** Flushes, then closes the sinks. */
  close(): Promise<void>;
}

const flushSchema = z.strictObject({ timeoutMs: integerFrom(1).default(5000) });

/**
 * Creates a tool selector.
 *
 * @throws {InvalidOptionsError} if an option is unknown, of the wrong type or out of range.
 * @example
 * const selector = createToolSelector({ mode: "enforce", onUncertain: "keep" });
 * const { tools } = await selector.select({ messages: [{ role: "user", text: "Where is order 7?"
 * }], tools: catalog });
 */
export function createToolSelector(options?: ToolSelectorOptions): ToolSelector {
  const resolved = resolveOptions(options, (judge) =>
    judge === undefined ? localJudge() : toJudge(judge),
  );
  const warn = createWarnOnce(resolved.logger);
  const recorder = createRecorder(resolved.sinks, warn, resolved.waitUntil);
  const monitor = createFallbackMonitor(warn);
  const closing = new AbortController();
  const reader = createCatalogReader({
    ...resolved,
    onDescribeError: () => warn("describe", "`describe` failed for a tool: it is always offered."),
  });

  /**
   * In enforce the time for the turn's policy counts against the budget; in shadow nothing waits,
   * and the budget is whole.
   */
  async function select<T>(
    turn: Turn<T>,
    policy: TurnPolicy,
    startedAt: number,
  ): Promise<TurnResult<T>> {
    const spentMs = policy.mode === "enforce" ? Math.max(0, resolved.now() - startedAt) : 0;
    const timeoutMs = Math.max(1, resolved.timeoutMs - spentMs);
    const context = { options: resolved, reader, warn, policy, startedAt, timeoutMs };
    const result = await selectTools(turn, context);
    if (result.kind === "selected") monitor.observe(result.selection);
    return result;
  }

  async function enforce<T, R>(
    turn: Turn<T>,
    step: ModelStep<T, R>,
    result: TurnResult<T>,
  ): Promise<R> {
    const last = cancelIfAborted(result, turn.signal);
    if (last.kind === "cancelled") {
      recorder.emit(last.record, null);
      throw last.cause;
    }
    const { selection } = last;
    notifyStep(step, selection);
    const callModel = (): Promise<R> => step.callModel(selection.tools, selection);
    const finished = await runStep(callModel, step.readOutcome, warn);
    recorder.emit(selection.record, finished.outcome);
    return unwrapStep(finished);
  }

  /**
   * The model is called first; judging starts when its request is on its way, and is never waited
   * for.
   */
  async function shadow<T, R>(
    turn: Turn<T>,
    step: ModelStep<T, R>,
    judge: (sent: Turn<T>) => Promise<TurnResult<T>>,
  ): Promise<R> {
    const sent = snapshotTurn(turn);
    const finishing = runStep(() => step.callModel(turn.tools), step.readOutcome, warn);
    recorder.track(async () => {
      await yieldToEventLoop();
      const result = await judge(sent);
      if (result.kind === "selected") notifyStep(step, result.selection);
      const record = result.kind === "selected" ? result.selection.record : result.record;
      const { outcome } = await finishing;
      recorder.emit(record, outcome);
    });
    return unwrapStep(await finishing);
  }

  return {
    options: resolved,
    policyFingerprint: fingerprintPolicy(resolved),
    get sinkFailures() {
      return recorder.failures;
    },
    async select(turn) {
      const startedAt = resolved.now();
      const policy = await resolveTurnPolicy(turn as Turn, resolved, warn);
      const result = await select(turn, policy, startedAt);
      if (result.kind === "cancelled") throw result.cause;
      return result.selection;
    },
    async run<T, R>(turn: Turn<T>, step: ModelStep<T, R>) {
      const startedAt = resolved.now();
      const policy = await resolveTurnPolicy(turn as Turn, resolved, warn);
      if (policy.mode === "off") return step.callModel(turn.tools);
      const selectLater = (sent: Turn<T>): Promise<TurnResult<T>> =>
        select(sent, policy, startedAt);
      const isShadow = policy.mode === "shadow" && turn.signal?.aborted !== true;
      return isShadow
        ? shadow(turn, step, selectLater)
        : enforce(turn, step, await selectLater(turn));
    },
    async prepare(tools, options = {}) {
      try {
        const selecting = { options: resolved, reader };
        await prepareTools(tools, selecting, { ...options, signal: closing.signal });
      } catch {
        warn("prepare", "Preparing tools failed; the turns to come are not affected.");
      }
    },
    flush: (flush) => recorder.flush(parseOptions(flushSchema, flush, "flush").timeoutMs),
    async close() {
      await recorder.close(5000);
      closing.abort();
    },
  };
}
