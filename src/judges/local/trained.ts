/** What is known of the weights without loading them. Written by `npm run train`; do not edit. */

/** Identity, thresholds and cap of the weights beside this file. */
export const trained = {
  id: "local:2-8c40c496",
  seed: 1,
  thresholds: { confidence: 0.5, rejection: 0.499 },
  maxTools: 32,
} as const;
