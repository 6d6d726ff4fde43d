/** Which tools a fallback offers where a provider takes only so many. */

import type { PinReason, Verdict } from "./types.js";

/** What is known of a tool when the catalog is restored. */
export interface FallbackTool {
  readonly pin: PinReason | null;
  /** Sticky or revealed. */
  readonly isRemembered: boolean;
  readonly verdict: Verdict | null;
  readonly probability: number | null;
  readonly wasCalled: boolean;
}

/** The pins, those first without which a provider refuses the request. */
const pinOrder: readonly PinReason[] = [
  "tool-choice",
  "history",
  "provider-tool",
  "always-include",
  "revealed",
  "no-description",
];

/** Groups of tools, the first to be offered first. */
function rankTool({ pin, isRemembered, verdict, wasCalled }: FallbackTool): number {
  if (pin !== null) return pinOrder.indexOf(pin);
  if (isRemembered) return pinOrder.length;
  if (verdict === "applicable") return pinOrder.length + 1;
  if (verdict === "uncertain") return pinOrder.length + 2;
  return pinOrder.length + (wasCalled ? 3 : 4);
}

/**
 * True for each tool that is offered, at most `maxTools`: pinned ones first, then sticky and
 * revealed ones, then applicable and uncertain ones by probability, then those called earlier in
 * the thread, then the rest; ties in catalog order.
 */
export function capFallback(tools: readonly FallbackTool[], maxTools: number): readonly boolean[] {
  if (tools.length <= maxTools) return tools.map(() => true);
  const ranked = tools
    .map((tool, index) => ({ index, rank: rankTool(tool), probability: tool.probability ?? 0 }))
    .toSorted((a, b) => a.rank - b.rank || b.probability - a.probability || a.index - b.index);
  const kept = new Set(ranked.slice(0, maxTools).map(({ index }) => index));
  return tools.map((_tool, index) => kept.has(index));
}
