/**
 * The errors toolsieve throws: one base class and a handful of subclasses, each recognisable across
 * package copies.
 */

const marker = (name: string): symbol => Symbol.for(`toolsieve.error.${name}`);

function isMarked(error: unknown, name: string): boolean {
  try {
    return typeof error === "object" && error !== null && marker(name) in error;
  } catch {
    return false;
  }
}

/**
 * Base of every error of this package. Messages never contain prompts, keys, or provider bodies.
 */
export class ToolSieveError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    Object.defineProperty(this, marker("ToolSieveError"), { value: true });
  }

  /** True for any error of this package, also one from another copy of it. */
  static isInstance(error: unknown): error is ToolSieveError {
    return isMarked(error, "ToolSieveError");
  }
}

/**
 * An option is missing, misspelt or out of range; the message names option, expectation and value.
 * Thrown at construction.
 */
export class InvalidOptionsError extends ToolSieveError {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    Object.defineProperty(this, marker("InvalidOptionsError"), { value: true });
  }

  static override isInstance(error: unknown): error is InvalidOptionsError {
    return isMarked(error, "InvalidOptionsError");
  }
}

/** Details of a failed exchange with a judge's backend. */
export interface JudgeHttpErrorDetails {
  /** HTTP status; `null` when no response arrived (network failure). */
  readonly status: number | null;
  /** How long the backend asked us to wait, in milliseconds; `null` if it did not say. */
  readonly retryAfterMs?: number | null;
  /**
   * A machine-readable code of the provider (`unsupported_parameter`, `max_tokens_exceeded`); never
   * free text.
   */
  readonly code?: string | null;
  /** The request parameter that the backend refused, if it named one. */
  readonly parameter?: string | null;
  readonly requestId?: string | null;
  readonly cause?: unknown;
}

/** The judge's backend answered with a failure status, or could not be reached (`status: null`). */
export class JudgeHttpError extends ToolSieveError {
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  readonly code: string | null;
  readonly parameter: string | null;
  readonly requestId: string | null;
  /** How many requests were made before giving up. */
  attempts = 1;

  constructor(message: string, details: JudgeHttpErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.code = details.code ?? null;
    this.parameter = details.parameter ?? null;
    this.requestId = details.requestId ?? null;
    Object.defineProperty(this, marker("JudgeHttpError"), { value: true });
  }

  static override isInstance(error: unknown): error is JudgeHttpError {
    return isMarked(error, "JudgeHttpError");
  }
}

/** Our own time budget for the judge ended. It is the `reason` of the judge's abort signal. */
export class JudgeTimeoutError extends ToolSieveError {
  readonly timeoutMs: number;
  attempts = 1;

  constructor(timeoutMs: number) {
    super(`The judge did not answer within ${timeoutMs} ms.`);
    this.timeoutMs = timeoutMs;
    Object.defineProperty(this, marker("JudgeTimeoutError"), { value: true });
  }

  static override isInstance(error: unknown): error is JudgeTimeoutError {
    return isMarked(error, "JudgeTimeoutError");
  }
}

/** Why a reply of a judge holds no answer. */
export type JudgeResponseFailure =
  | "refused"
  | "malformed"
  | "truncated"
  | "too-large"
  | "circuit-open"
  | "no-logprobs";

/**
 * The judge replied, but its reply holds no usable answer (or, `circuit-open`, it was not asked at
 * all).
 */
export class JudgeResponseError extends ToolSieveError {
  readonly reason: JudgeResponseFailure;
  attempts = 1;

  constructor(
    message: string,
    details: { readonly reason: JudgeResponseFailure; readonly cause?: unknown },
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.reason = details.reason;
    Object.defineProperty(this, marker("JudgeResponseError"), { value: true });
  }

  static override isInstance(error: unknown): error is JudgeResponseError {
    return isMarked(error, "JudgeResponseError");
  }
}

/**
 * A line is not a selection record. The message names the first field that is wrong, never its
 * content.
 */
export class RecordFormatError extends ToolSieveError {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    Object.defineProperty(this, marker("RecordFormatError"), { value: true });
  }

  static override isInstance(error: unknown): error is RecordFormatError {
    return isMarked(error, "RecordFormatError");
  }
}

/**
 * A replayed judge was asked a request that was not recorded: other cases, another catalog size or
 * seed.
 */
export class ReplayMissError extends ToolSieveError {
  constructor() {
    super(
      "The recording does not hold this request: cases, catalog, catalog size and seed must be those of the recorded run.",
    );
    Object.defineProperty(this, marker("ReplayMissError"), { value: true });
  }

  static override isInstance(error: unknown): error is ReplayMissError {
    return isMarked(error, "ReplayMissError");
  }
}
