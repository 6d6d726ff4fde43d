/** What a thread costs under prompt caching, in input-token equivalents: a fresh input token is 1. */

/** Price ratios of a provider's prompt cache. */
export interface CachePrices {
  readonly name: string;
  /** Of a token that is read from the cache. */
  readonly read: number;
  /** Of a token that is written to the cache. */
  readonly write: number;
}

/** One call of the model. */
export interface ModelCall {
  /** Identifies the tools block; it leads the cached prefix. */
  readonly block: string;
  readonly blockTokens: number;
  /** Of the history that was there before. */
  readonly historyTokens: number;
  /** Added since the last call. */
  readonly newTokens: number;
}

/** The cost of calls that follow each other within the cache's lifetime; the first one writes everything. */
export function addUpCost(calls: readonly ModelCall[], { read, write }: CachePrices): number {
  let cost = 0;
  let previous: string | null = null;
  for (const { block, blockTokens, historyTokens, newTokens } of calls) {
    const prefix = blockTokens + historyTokens;
    cost += prefix * (block === previous ? read : write) + newTokens * write;
    previous = block;
  }
  return Math.round(cost);
}

/** Turns between two changes of the block from which on filtering pays; infinite where it never does. */
export function findBreakEven(
  tokens: { readonly full: number; readonly selected: number; readonly history: number },
  { read, write }: CachePrices,
): number {
  const gain = read * (tokens.full - tokens.selected);
  return gain <= 0
    ? Number.POSITIVE_INFINITY
    : ((write - read) * (tokens.selected + tokens.history)) / gain;
}
