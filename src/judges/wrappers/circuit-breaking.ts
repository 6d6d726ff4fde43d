/**
 * A wrapper that stops asking a failing judge, so that an outage does not cost every turn its
 * budget.
 */

import * as z from "zod";
import { JudgeResponseError, JudgeTimeoutError } from "../../errors.js";
import { functionOption, integerFrom, parseOptions } from "../../core/parse-options.js";
import type {
  Judge,
  JudgeFunction,
  JudgeOptions,
  JudgeResponse,
  Logger,
} from "../../core/types.js";
import { loggerSchema, warn } from "../../core/warn-once.js";
import { notAwaited, onAbort, untilAborted } from "../../core/abort.js";
import { classifyFailure, readStatus, type JudgeFailure } from "../failure.js";
import { toJudge } from "../judge.js";
import { wrapJudge } from "./wrap-judge.js";

export const breakerOptionsSchema = z.strictObject({
  failures: integerFrom(1).default(5),
  openMs: integerFrom(1).default(30_000),
});

/** When the circuit opens, and for how long. */
export interface BreakerOptions {
  /**
   * Failures in a row after which the judge is no longer asked, from 1.
   *
   * @default 5
   */
  readonly failures?: number | undefined;
  /**
   * How long the circuit stays open before one call probes the judge, in milliseconds.
   *
   * @default 30000
   */
  readonly openMs?: number | undefined;
}

export interface CircuitBreakingOptions extends BreakerOptions {
  /** Warned when the circuit opens. Silent by default. */
  readonly logger?: Logger | undefined;
  /**
   * The clock, in milliseconds; a seam for tests.
   *
   * @default Date.now
   */
  readonly now?: (() => number) | undefined;
}

const optionsSchema = breakerOptionsSchema.extend({
  logger: loggerSchema.optional(),
  now: functionOption<() => number>().default(() => Date.now),
});

/**
 * What the end of a call shows of the judge:
 *
 * - `answered`: it works
 * - `failed`: counts as a failure
 * - `broken`: no call can work before its configuration changes
 * - `silent`: nothing; the call ended for another reason
 */
type Health = "answered" | "failed" | "broken" | "silent";

const healthByFailure: Readonly<Record<JudgeFailure, Health>> = {
  credentials: "broken",
  configuration: "broken",
  refused: "answered",
  limit: "answered",
  transient: "failed",
  request: "failed",
  malformed: "failed",
  timeout: "failed",
  unknown: "failed",
  "not-asked": "silent",
  "control-flow": "silent",
};

/**
 * A reply without any valid answer counts like one that cannot be read; single refusals do not
 * count.
 */
function rateResponse({ probabilities, missing }: JudgeResponse): Health {
  const hasAnswer = probabilities.length === 0 || probabilities.some((p) => p !== undefined);
  return hasAnswer || missing === "refused" ? "answered" : "failed";
}

/**
 * The state of one circuit: closed (counting), open (until a time), or half-open (one probe under
 * way).
 */
class Circuit {
  #failures = 0;
  #openUntil: number | null = null;
  #probing = false;

  readonly #limits: { readonly failures: number; readonly openMs: number };

  constructor(limits: { readonly failures: number; readonly openMs: number }) {
    this.#limits = limits;
  }

  /** Admits a call, or the one probe after the wait. */
  enter(now: number): "call" | "probe" | "refused" {
    if (this.#openUntil === null) return "call";
    if (this.#probing || now < this.#openUntil) return "refused";
    this.#probing = true;
    return "probe";
  }

  /** Counts the end of a call; true if that opened a closed circuit. */
  leave(entry: "call" | "probe", health: Health, now: number): boolean {
    if (entry === "probe") this.#probing = false;
    if (health === "silent") return false;
    if (health === "answered") {
      // A late answer from before the outage does not close an open circuit; only a probe does.
      if (entry === "probe") this.#openUntil = null;
      this.#failures = 0;
      return false;
    }
    this.#failures += 1;
    const wasClosed = this.#openUntil === null;
    const opens =
      entry === "probe" || health === "broken" || this.#failures >= this.#limits.failures;
    if (opens && (wasClosed || entry === "probe")) this.#openUntil = now + this.#limits.openMs;
    return opens && wasClosed;
  }
}

function describeOpening(id: string, health: Health, error: unknown, openMs: number): string {
  const status = readStatus(error);
  const shown = status === null ? "" : ` (status ${status})`;
  const why =
    health === "broken"
      ? `its credentials or a request parameter were refused${shown}; check its configuration`
      : `it keeps failing${shown}`;
  return `Judge \`${id}\` is not asked for ${openMs} ms at a time: ${why}. Every tool is kept meanwhile.`;
}

/** The signal of one call, and what to release after it. */
interface Attempt {
  readonly signal: AbortSignal;
  dispose(): void;
}

function startCall({ signal }: JudgeOptions): Attempt {
  return { signal, dispose: () => undefined };
}

/**
 * A probe ends with the budget or with the caller's abort, but not because its turn needs no more
 * answers: the other batches of the turn fail fast, and that would end every probe before it has
 * shown anything.
 */
function startProbe({ signal, deadline }: JudgeOptions, limitMs: number): Attempt {
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const leave = onAbort(signal, () => {
    if (signal.reason !== notAwaited) return controller.abort(signal.reason);
    const leftMs = Math.max(0, deadline === undefined ? limitMs : deadline - Date.now());
    timer = setTimeout(() => controller.abort(new JudgeTimeoutError(leftMs)), leftMs);
  });
  return {
    signal: controller.signal,
    dispose() {
      leave();
      clearTimeout(timer);
    },
  };
}

/**
 * Stops asking a failing judge. After `failures` failures in a row (failure statuses, no
 * connection, timeouts, malformed replies, anything else that it throws) calls fail at once with a
 * `JudgeResponseError` of reason `circuit-open`. After `openMs` one call is let through as a probe:
 * an answer closes the circuit, a failure keeps it open. The probe goes on within its budget even
 * if its turn needs no further answers. Refused credentials or parameters open the circuit at once.
 *
 * Not counted: refusals and requests or replies that were too long, so that no user can switch the
 * judge off for all; calls that the caller aborts; LangGraph's control flow.
 *
 * @throws {InvalidOptionsError} at construction.
 * @example
 * const judge = circuitBreaking(async ({ candidates }) => candidates.map(() => 0.9), { failures: 3 });
 */
export function circuitBreaking(
  judge: Judge | JudgeFunction,
  options: CircuitBreakingOptions = {},
): Judge {
  const inner = toJudge(judge);
  const { logger, now, ...limits } = parseOptions(optionsSchema, options, "circuitBreaking");
  const circuit = new Circuit(limits);

  return wrapJudge(inner, async (request, judgeOptions) => {
    const entry = circuit.enter(now());
    if (entry === "refused") {
      throw new JudgeResponseError("The judge was not asked: it failed too often.", {
        reason: "circuit-open",
      });
    }
    const leave = (health: Health, error?: unknown): void => {
      const opened = circuit.leave(entry, health, now());
      if (opened) warn(logger, describeOpening(inner.id, health, error, limits.openMs));
    };
    const attempt =
      entry === "probe" ? startProbe(judgeOptions, limits.openMs) : startCall(judgeOptions);
    const asking = async (): Promise<JudgeResponse> => {
      try {
        const response = await inner.judge(request, { ...judgeOptions, signal: attempt.signal });
        leave(rateResponse(response));
        return response;
      } catch (error) {
        const failure = classifyFailure(error);
        const isCallersAbort = attempt.signal.aborted && failure !== "timeout";
        leave(isCallersAbort ? "silent" : healthByFailure[failure], error);
        throw error;
      } finally {
        attempt.dispose();
      }
    };
    return entry === "probe" ? untilAborted(asking(), judgeOptions.signal) : asking();
  });
}
