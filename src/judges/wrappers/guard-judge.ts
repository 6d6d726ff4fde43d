/** Wraps the judges of remote services: a circuit breaker around retries around the bare judge. */

import { booleanOption } from "../../core/parse-options.js";
import type { Judge, Logger } from "../../core/types.js";
import { loggerSchema } from "../../core/warn-once.js";
import { breakerOptionsSchema, circuitBreaking, type BreakerOptions } from "./circuit-breaking.js";
import { retrying, retryOptionsSchema, type RetryOptions } from "./retrying.js";

/** Option fields of all remote judges, for their own `strictObject`. */
export const guardFields = {
  retry: retryOptionsSchema.optional(),
  breaker: breakerOptionsSchema.optional(),
  logger: loggerSchema.optional(),
  raw: booleanOption().default(false),
};

export interface GuardOptions {
  /** How a failed request is repeated. */
  readonly retry?: RetryOptions | undefined;
  /** When the circuit opens, and for how long. */
  readonly breaker?: BreakerOptions | undefined;
  /** Warned when the circuit opens. Silent by default. */
  readonly logger?: Logger | undefined;
  /**
   * The bare judge, without retries and circuit breaker.
   *
   * @default false
   */
  readonly raw?: boolean | undefined;
}

/**
 * Wraps a bare remote judge as its options say: `circuitBreaking(retrying(judge))`, or not at all
 * with `raw`.
 */
export function guardJudge(judge: Judge, options: GuardOptions): Judge {
  if (options.raw === true) return judge;
  return circuitBreaking(retrying(judge, options.retry), {
    ...options.breaker,
    logger: options.logger,
  });
}
