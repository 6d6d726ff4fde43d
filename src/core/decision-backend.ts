/**
 * What a judged tool index asks: one choice among tools, and whether any of them serves the request
 * at all.
 */

import type { ToolDescription } from "./types.js";

/** The answer to both questions about some tools. */
export interface ToolDecision {
  /** Probability that any of the tools serves the request. */
  readonly applicable: number;
  /**
   * Of each tool the probability that it is the one; they sum to about one. Of a single tool it is
   * `applicable`.
   */
  readonly shares: readonly number[];
}

/** A service or model that answers both questions in one request. */
export interface DecisionBackend {
  /** The most tools of one request. */
  readonly maxTools: number;
  /** Consecutive parts that fit into a request each. */
  split(tools: readonly ToolDescription[]): readonly (readonly ToolDescription[])[];
  /**
   * Asks about some tools, at least one.
   *
   * @throws if there is no valid answer to each question.
   */
  decide(
    query: string,
    tools: readonly ToolDescription[],
    options: { readonly signal: AbortSignal; readonly deadline: number },
  ): Promise<ToolDecision>;
  /** True for an error that says that the request was too large. */
  isTooLarge(error: unknown): boolean;
}
