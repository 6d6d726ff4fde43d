/** The wrapping that every remote judge comes in: a circuit breaker around retries around the bare judge. */

import * as z from "zod";
import type { Judge, Logger } from "../../core/types.js";
import { loggerSchema } from "../../core/warn-once.js";
import { breakerOptionsSchema, circuitBreaking, type BreakerOptions } from "./circuit-breaking.js";
import { retrying, retryOptionsSchema, type RetryOptions } from "./retrying.js";

/** The option fields that the factories of remote judges have in common; spread into their own `strictObject`. */
export const guardFields = {
  retry: retryOptionsSchema.optional(),
  breaker: breakerOptionsSchema.optional(),
  logger: loggerSchema.optional(),
  raw: z.boolean("a boolean").default(false),
};

export interface GuardOptions {
  /** How a failed request is repeated. */
  readonly retry?: RetryOptions | undefined;
  /** When a failing judge is left alone. */
  readonly breaker?: BreakerOptions | undefined;
  /** Told once when the judge is switched off. Silent by default. */
  readonly logger?: Logger | undefined;
  /** The bare judge, without retries and circuit breaker. @default false */
  readonly raw?: boolean | undefined;
}

/** Wraps a bare remote judge as its options say: `circuitBreaking(retrying(judge))`, or not at all with `raw`. */
export function guarded(judge: Judge, options: GuardOptions): Judge {
  if (options.raw === true) return judge;
  return circuitBreaking(retrying(judge, options.retry), {
    ...options.breaker,
    logger: options.logger,
  });
}
