/**
 * createToolSelector: the one loop. A turn in, a selection out; `run` wraps a model step and writes
 * its record.
 */

import * as z from "zod";
import { yieldToEventLoop } from "../core/slices.js";
import type { StepOutcome } from "../core/build-record.js";
import { createCatalogReader } from "../core/catalog.js";
import { fingerprintPolicy, resolveOptions } from "../core/options.js";
import type { ResolvedOptions, ToolSelectorOptions } from "../core/options.js";
import { integerFrom, parseOptions } from "../core/parse-options.js";
import { snapshotTurn } from "../core/snapshot.js";
import { quietly } from "../core/quietly.js";
import type { MemoryChange, Selection, Turn } from "../core/types.js";
import { answerFinderCall, answerHiddenCall } from "./answer-call.js";
import type { FindResult } from "./answer-call.js";
import { createParts } from "./create-parts.js";
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
   * Answers a call of the finder: what it found is revealed to this thread from its next turn on.
   * Never rejects.
   *
   * `memory` is what a host with a state of its own (`turn.memory`) writes there; without one it is
   * remembered already.
   *
   * @throws {InvalidOptionsError} if `findTools` is off.
   */
  find<T>(turn: Turn<T>, input: unknown): Promise<FindResult>;
  /**
   * With `guard`: the text that answers a call of a hidden tool, which is not to be executed; else
   * `null`.
   *
   * A host with a state of its own (`turn.memory`) writes `{ stopped: name }` there, so that the
   * next record counts it.
   */
  guardCall<T>(turn: Turn<T>, name: string): string | null;
  /**
   * Warms what the judge keeps per tool, such as vectors. Never rejects; resolves when it is done.
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

  const parts = createParts(resolved, reader, warn);
  const { memories } = parts;

  /**
   * Selecting has what the turn's policy left of the budget; in shadow nothing waits for it, and it
   * has all.
   */
  async function select<T>(
    turn: Turn<T>,
    policy: TurnPolicy,
    startedAt: number,
  ): Promise<TurnResult<T>> {
    const spentMs = policy.mode === "enforce" ? Math.max(0, resolved.now() - startedAt) : 0;
    const timeoutMs = Math.max(1, resolved.timeoutMs - spentMs);
    const result = await selectTools(turn, { ...parts, policy, startedAt, timeoutMs });
    if (result.kind === "selected") monitor.observe(result.selection);
    return result;
  }

  /** What a model answered is remembered: by the host where it has a state, else here. */
  function saveMemory<T, R>(
    turn: Turn<T>,
    step: ModelStep<T, R>,
    change: MemoryChange | null,
    outcome: StepOutcome | null,
  ): void {
    if (change === null) return;
    const whole = { ...change, called: outcome?.model?.called ?? [] };
    if (turn.memory !== undefined) quietly(() => step.saveMemory?.(whole));
    memories?.change(turn as Turn, "enforce", whole);
  }

  /** After a switch away from enforce nothing is hidden any more, and the guard must know. */
  function releaseHidden<T, R>(turn: Turn<T>, step: ModelStep<T, R>): void {
    const isHiding = (memories?.read(turn as Turn, "enforce").hidden.length ?? 0) > 0;
    if (isHiding) saveMemory(turn, step, { hidden: [] }, null);
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
    const { selection, change } = last;
    notifyStep(step, selection);
    const callModel = (): Promise<R> => step.callModel(selection.tools, selection);
    const finished = await runStep(callModel, step.readOutcome, warn);
    recorder.emit(selection.record, finished.outcome);
    if ("result" in finished) saveMemory(turn, step, change, finished.outcome);
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
      if (result.kind === "selected" && result.change !== null) {
        const called = outcome?.model?.called ?? [];
        memories?.change(sent as Turn, "shadow", { ...result.change, called });
      }
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
      if (result.change !== null) memories?.change(turn as Turn, policy.mode, result.change);
      return result.selection;
    },
    async run<T, R>(turn: Turn<T>, step: ModelStep<T, R>) {
      const startedAt = resolved.now();
      const policy = await resolveTurnPolicy(turn as Turn, resolved, warn);
      if (policy.mode !== "enforce") releaseHidden(turn, step);
      if (policy.mode === "off") return step.callModel(turn.tools);
      const selectLater = (sent: Turn<T>): Promise<TurnResult<T>> =>
        select(sent, policy, startedAt);
      const isShadow = policy.mode === "shadow" && turn.signal?.aborted !== true;
      return isShadow
        ? shadow(turn, step, selectLater)
        : enforce(turn, step, await selectLater(turn));
    },
    find: (turn, input) => answerFinderCall(turn as Turn, input, parts),
    guardCall: (turn, name) => answerHiddenCall(turn as Turn, name, parts),
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
