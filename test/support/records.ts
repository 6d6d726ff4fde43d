/** Valid selection records for tests, in any shape that a test asks for. */

import type { SelectionRecord } from "../../src/core/record.js";

/** A valid shadow record of one judged turn, with the given fields replaced. */
export function selectionRecord(overrides: Partial<SelectionRecord> = {}): SelectionRecord {
  return {
    v: 1,
    id: "r-1",
    time: "2026-11-30T09:30:00.123Z",
    threadId: "t-1",
    runId: null,
    groupId: null,
    agent: "support",
    request: "msg-7",
    step: 1,
    mode: "shadow",
    enforced: false,
    enforceShare: null,
    version: "order-tools-v1",
    policyFingerprint: "51c0",
    status: "decided",
    reason: "selected",
    fallback: false,
    policy: {
      confidenceThreshold: 0.8,
      rejectionThreshold: 0.2,
      maxTools: 8,
      onUncertain: "fallback",
    },
    judge: {
      id: "fake:1",
      model: "fake-1",
      batches: 1,
      requests: 1,
      retries: 0,
      latencyMs: 12.5,
      cached: false,
      usage: { inputTokens: 300, outputTokens: 20, cachedInputTokens: null },
    },
    catalog: { fingerprint: "9f2c", tools: 2, candidates: 2, definitionTokens: 360 },
    tools: [
      {
        name: "refund",
        probability: 0.05,
        verdict: "not-applicable",
        kept: false,
        reason: "not-applicable",
        tokens: 180,
      },
      {
        name: "query_order",
        probability: 0.95,
        verdict: "applicable",
        kept: true,
        reason: "applicable",
        tokens: 180,
      },
    ],
    offered: { tools: 2, definitionTokens: 360, fingerprint: "aa" },
    suggested: { tools: 1, definitionTokens: 180, fingerprint: "bb" },
    outcome: {
      called: ["query_order"],
      missed: [],
      model: "model-1",
      latencyMs: 900,
      error: false,
      usage: { inputTokens: 9200, outputTokens: 80, cacheReadTokens: 6000, cacheWriteTokens: 0 },
    },
    error: null,
    ...overrides,
  };
}
