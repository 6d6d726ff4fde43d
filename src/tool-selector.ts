/** createToolSelector: the one loop. A turn in, a selection out; `run` wraps a model step and writes its record. */

import { z } from "zod";
import { yieldToEventLoop } from "./budget.js";
import { completeRecord } from "./core/build-record.js";
import type { StepOutcome } from "./core/build-record.js";
import { createCatalogReader } from "./core/catalog.js";
import { fingerprintPolicy, resolveOptions } from "./core/options.js";
import type { ResolvedOptions, ToolSelectorOptions } from "./core/options.js";
import { integerFrom, parseOptions } from "./core/parse-options.js";
import type { ModelOutcome, Selection, Turn } from "./core/types.js";
import { createFallbackMonitor } from "./fallback-monitor.js";
import { toJudge } from "./judges/judge.js";
import { localJudge } from "./judges/local/local-judge.js";
import { createRecorder } from "./recorder.js";
import { isControlFlow, selectTools } from "./selecting.js";
import type { Selected } from "./selecting.js";
import { resolveTurnPolicy } from "./turn-policy.js";
import type { TurnPolicy } from "./turn-policy.js";
import { createWarnOnce } from "./warn-once.js";

/** One model step, as an adapter wraps it. */
export interface ModelStep<T, R> {
  /** Calls the model with these tools. In shadow and in off there is no selection yet. */
  readonly callModel: (tools: readonly T[], selection?: Selection<T>) => Promise<R>;
  /** What the model did. One that throws leaves the record without an outcome. */
  readonly readOutcome: (result: R) => ModelOutcome;
}

/** Selects tools before every model turn. */
export interface ToolSelector {
  readonly options: ResolvedOptions;
  /** SHA-256 over every option that changes a selection. */
  readonly policyFingerprint: string;
  /**
   * Judges a turn and says what to offer. Writes no record.
   *
   * @throws only the abort reason of the turn's own signal, and (in enforce) control flow of the host that the judge threw.
   */
  select<T>(turn: Turn<T>): Promise<Selection<T>>;
  /**
   * Wraps one model step: mode, shadow beside the model, outcome, one record. Adapters are thin layers over this.
   *
   * @throws what `callModel` throws; the abort reason of the turn's own signal, in which case the model is not called.
   */
  run<T, R>(turn: Turn<T>, step: ModelStep<T, R>): Promise<R>;
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
 * const { tools } = await selector.select({ messages: [{ role: "user", text: "Where is order 7?" }], tools: catalog });
 */
export function createToolSelector(options?: ToolSelectorOptions): ToolSelector {
  const resolved = resolveOptions(options, (judge) =>
    judge === undefined ? localJudge() : toJudge(judge),
  );
  const { now, waitUntil } = resolved;
  const warn = createWarnOnce(resolved.logger);
  const recorder = createRecorder(resolved.sinks, warn, waitUntil);
  const monitor = createFallbackMonitor(warn);
  const reader = createCatalogReader({
    ...resolved,
    onDescribeError: () => warn("describe", "`describe` failed for a tool: it is always offered."),
  });

  async function selectUnder<T>(
    turn: Turn<T>,
    policy: TurnPolicy,
    startedAt: number,
  ): Promise<Selected<T>> {
    const spent = policy.mode === "enforce" ? now() - startedAt : 0;
    const timeoutMs = Math.max(1, resolved.timeoutMs - Math.max(0, spent));
    const selected = await selectTools(turn, {
      options: resolved,
      reader,
      warn,
      policy,
      startedAt,
      timeoutMs,
    });
    monitor.observe(selected.selection);
    return selected;
  }

  /** Calls the model and keeps what became of it, for the record. */
  async function observe<R>(
    call: () => Promise<R>,
    read: (result: R) => ModelOutcome,
  ): Promise<Observed<R>> {
    const start = performance.now();
    try {
      const result = await call();
      const latencyMs = performance.now() - start;
      return { result, outcome: { latencyMs, error: false, model: readSafely(read, result) } };
    } catch (error) {
      const latencyMs = performance.now() - start;
      const outcome = isControlFlow(error) ? null : { latencyMs, error: true, model: null };
      return { error, outcome };
    }
  }

  function readSafely<R>(read: (result: R) => ModelOutcome, result: R): ModelOutcome | null {
    try {
      return read(result);
    } catch {
      warn("readOutcome", "`readOutcome` failed: the record has no outcome.");
      return null;
    }
  }

  async function enforce<T, R>(
    step: ModelStep<T, R>,
    { selection, thrown }: Selected<T>,
  ): Promise<R> {
    if (thrown.length > 0) {
      void recorder.emit(completeRecord(selection.record, null));
      throw thrown[0];
    }
    const observed = await observe(
      () => step.callModel(selection.tools, selection),
      step.readOutcome,
    );
    void recorder.emit(completeRecord(selection.record, observed.outcome));
    return unwrap(observed);
  }

  /** The model is called first; judging starts when its request is on its way, and is never waited for. */
  async function shadow<T, R>(
    turn: Turn<T>,
    step: ModelStep<T, R>,
    judge: () => Promise<Selected<T>>,
  ): Promise<R> {
    const modelCall = observe(() => step.callModel(turn.tools), step.readOutcome);
    const record = (async () => {
      await yieldToEventLoop();
      const [{ selection }, { outcome }] = await Promise.all([judge(), modelCall]);
      await recorder.emit(completeRecord(selection.record, outcome));
    })();
    recorder.track(
      record.catch(() => warn("internal", "A shadow selection failed; the turn is not affected.")),
    );
    return unwrap(await modelCall);
  }

  return {
    options: resolved,
    policyFingerprint: fingerprintPolicy(resolved),
    async select(turn) {
      const startedAt = now();
      const policy = await resolveTurnPolicy(turn as Turn, resolved, warn);
      const { selection, thrown } = await selectUnder(turn, policy, startedAt);
      if (thrown.length > 0) throw thrown[0];
      return selection;
    },
    async run(turn, step) {
      const startedAt = now();
      const policy = await resolveTurnPolicy(turn as Turn, resolved, warn);
      if (policy.mode === "off") return step.callModel(turn.tools);
      const judge = (): Promise<Selected<(typeof turn.tools)[number]>> =>
        selectUnder(turn, policy, startedAt);
      const isCancelled = turn.signal?.aborted === true;
      return policy.mode === "enforce" || isCancelled
        ? enforce(step, await judge())
        : shadow(turn, step, judge);
    },
    flush: (flushOptions) =>
      recorder.flush(parseOptions(flushSchema, flushOptions, "flush").timeoutMs),
    close: () => recorder.close(5000),
  };
}

type Observed<R> =
  | { readonly result: R; readonly outcome: StepOutcome | null }
  | { readonly error: unknown; readonly outcome: StepOutcome | null };

function unwrap<R>(observed: Observed<R>): R {
  if ("error" in observed) throw observed.error;
  return observed.result;
}
