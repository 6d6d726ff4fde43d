/**
 * How often tools of each probability range were called: a lower bound of "applicable", and no
 * calibration.
 */

import type { SelectionRecord } from "../../core/record.js";
import type { CallRateBin } from "../summary.js";

/** Finer at both ends, where the thresholds are. */
const edges = [
  0, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.95, 0.98, 1,
] as const;

const binCount = edges.length - 1;

function findBin(probability: number): number {
  let bin = 0;
  while (bin < binCount - 1 && probability >= (edges[bin + 1] ?? 1)) bin++;
  return bin;
}

/**
 * A user request that may still go on: which tools it called, and in which range each of its turns
 * put each tool.
 */
interface OpenRequest {
  readonly called: Set<string>;
  readonly turns: ReadonlyMap<string, number>[];
}

/**
 * Requests that are followed at a time; one that goes on after so many others began counts as a new
 * one.
 */
const openLimit = 1000;

/**
 * Counts judged and called tools by probability; a tool is called if it is called within the same
 * user request.
 */
export class CallRateTally {
  readonly #judged = new Float64Array(binCount);
  readonly #called = new Float64Array(binCount);
  readonly #open = new Map<string, OpenRequest>();

  /** Adds a turn whose model answered; of namesakes the last counts, the one that hosts offer. */
  add(record: SelectionRecord, unit: string): void {
    const request = this.#findRequest(record, unit);
    const bins = new Map<string, number>();
    for (const { name, probability } of record.tools) {
      if (name !== null && probability !== null) bins.set(name, findBin(probability));
    }
    for (const [name, bin] of bins) {
      this.#count(this.#judged, bin);
      if (request.called.has(name)) this.#count(this.#called, bin);
    }
    request.turns.push(bins);
    for (const name of record.outcome?.called ?? []) {
      if (request.called.has(name)) continue;
      request.called.add(name);
      for (const turn of request.turns) this.#count(this.#called, turn.get(name));
    }
  }

  /** Takes over the counts of another cohort. */
  merge(other: CallRateTally): void {
    for (let bin = 0; bin < binCount; bin++) {
      this.#count(this.#judged, bin, other.#judged[bin]);
      this.#count(this.#called, bin, other.#called[bin]);
    }
  }

  finish(): readonly CallRateBin[] {
    return Array.from({ length: binCount }, (_, bin) => {
      const judged = this.#judged[bin] ?? 0;
      const called = this.#called[bin] ?? 0;
      return {
        from: edges[bin] ?? 0,
        to: edges[bin + 1] ?? 1,
        judged,
        called,
        rate: judged === 0 ? null : called / judged,
      };
    });
  }

  #count(counts: Float64Array, bin: number | undefined, by = 1): void {
    if (bin !== undefined) counts[bin] = (counts[bin] ?? 0) + by;
  }

  /**
   * The open request of a record, moved to the newest place; a turn without a known request stands
   * alone.
   */
  #findRequest({ request, threadId, runId }: SelectionRecord, unit: string): OpenRequest {
    const key = JSON.stringify([threadId ?? runId ?? unit, request]);
    const open = this.#open.get(key) ?? { called: new Set<string>(), turns: [] };
    if (request === null) return { called: new Set(), turns: [] };
    this.#open.delete(key);
    this.#open.set(key, open);
    const oldest = this.#open.size > openLimit ? this.#open.keys().next().value : undefined;
    if (oldest !== undefined) this.#open.delete(oldest);
    return open;
  }
}
