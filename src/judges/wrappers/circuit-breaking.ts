/** A wrapper that stops asking a judge which keeps failing, so that an outage is not paid for on every turn. */

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
import { isValidAnswer } from "../../core/verdict.js";
import { loggerSchema } from "../../core/warn-once.js";
import { notAwaited, onAbort, untilAborted } from "../../core/abort.js";
import { failureOf, statusOf, type JudgeFailure } from "../failure.js";
import { toJudge } from "../judge.js";
import { warn } from "../warn.js";
import { wrapJudge } from "./wrap-judge.js";

export const breakerOptionsSchema = z.strictObject({
  failures: integerFrom(1).default(5),
  openMs: integerFrom(1).default(30_000),
});

/** When a failing judge is left alone, and for how long. */
export interface BreakerOptions {
  /** Failures in a row after which the judge is no longer asked, from 1. @default 5 */
  readonly failures?: number | undefined;
  /** How long it is left alone before one call tries it again, in milliseconds. @default 30000 */
  readonly openMs?: number | undefined;
}

export interface CircuitBreakingOptions extends BreakerOptions {
  /** Told once when the judge is switched off. Silent by default. */
  readonly logger?: Logger | undefined;
  /** The clock, in milliseconds; a seam for tests. @default Date.now */
  readonly now?: (() => number) | undefined;
}

const optionsSchema = breakerOptionsSchema.extend({
  logger: loggerSchema.optional(),
  now: functionOption<() => number>().default(() => Date.now),
});

/**
 * What a call says about the judge's health: `answered` (it works), `failed` (counts), `broken` (no call can work until
 * someone changes the configuration), `silent` (nothing: the call was given up for other reasons).
 */
type Health = "answered" | "failed" | "broken" | "silent";

const healthOf: Readonly<Record<JudgeFailure, Health>> = {
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

/** A reply without a single valid answer is as malformed as one that cannot be read. */
function healthOfReply(response: JudgeResponse, asked: number): Health {
  const answers: unknown = response?.probabilities;
  if (!Array.isArray(answers) || answers.length !== asked) return "failed";
  const useful = asked === 0 || answers.some(isValidAnswer) || response.missing === "refused";
  return useful ? "answered" : "failed";
}

/** The state of one circuit: closed (counting), open (until a time), or half-open (one probe under way). */
class Circuit {
  #failures = 0;
  #openUntil: number | null = null;
  #probing = false;

  readonly #limits: { readonly failures: number; readonly openMs: number };

  constructor(limits: { readonly failures: number; readonly openMs: number }) {
    this.#limits = limits;
  }

  /** Whether a call may go through now; the first one after the wait is the probe, and the only one. */
  enter(now: number): "call" | "probe" | "refused" {
    if (this.#openUntil === null) return "call";
    if (this.#probing || now < this.#openUntil) return "refused";
    this.#probing = true;
    return "probe";
  }

  /** Takes note of how a call ended; true if that opened a circuit which was closed. */
  leave(entry: "call" | "probe", health: Health, now: number): boolean {
    if (entry === "probe") this.#probing = false;
    if (health === "silent") return false;
    if (health === "answered") {
      // A late answer to a call from before the outage proves nothing: only a probe closes an open circuit.
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

function warning(id: string, health: Health, error: unknown, openMs: number): string {
  const status = statusOf(error);
  const shown = status === null ? "" : ` (status ${status})`;
  const why =
    health === "broken"
      ? `its credentials or a request parameter were refused${shown}; check its configuration`
      : `it keeps failing${shown}`;
  return `Judge \`${id}\` is not asked for ${openMs} ms at a time: ${why}. Every tool is kept meanwhile.`;
}

/** A call's own signal, and how to let go of it. */
interface Attempt {
  readonly signal: AbortSignal;
  dispose(): void;
}

/**
 * The attempt of a probe: it ends with the turn's budget or the caller, but not because the turn needs no more answers.
 * The turn's other batches fail fast beside it, and that alone would end every probe before it has learned anything.
 */
function probing({ signal, deadline }: JudgeOptions, limitMs: number): Attempt {
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
 * Leaves a failing judge alone. After `failures` failures in a row (failure statuses, no connection, timeouts, malformed
 * replies, anything else that it throws) calls fail at once with a `JudgeResponseError` of reason `circuit-open`; after
 * `openMs` one call is let through, and its end decides: it goes on, within its budget, if its turn needs no further answers. Refused credentials or parameters open it at once.
 *
 * Not counted: refusals and requests or replies that were too long, so that no user can switch the judge off for all;
 * calls that the caller aborts; LangGraph's control flow.
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
    const { signal } = judgeOptions;
    signal.throwIfAborted();
    const entry = circuit.enter(now());
    if (entry === "refused") {
      throw new JudgeResponseError("The judge was not asked: it failed too often.", {
        reason: "circuit-open",
      });
    }
    const leave = (health: Health, error?: unknown): void => {
      const opened = circuit.leave(entry, health, now());
      if (opened) warn(logger, warning(inner.id, health, error, limits.openMs));
    };
    const attempt: Attempt =
      entry === "probe"
        ? probing(judgeOptions, limits.openMs)
        : { signal, dispose: () => undefined };
    const asking = async (): Promise<JudgeResponse> => {
      try {
        const options = { ...judgeOptions, signal: attempt.signal };
        const response = await untilAborted(inner.judge(request, options), attempt.signal);
        leave(healthOfReply(response, request.candidates.length));
        return response;
      } catch (error) {
        const failure = failureOf(error);
        const byCaller = attempt.signal.aborted && failure !== "timeout";
        leave(byCaller ? "silent" : healthOf[failure], error);
        throw error;
      } finally {
        attempt.dispose();
      }
    };
    return untilAborted(asking(), signal);
  });
}
