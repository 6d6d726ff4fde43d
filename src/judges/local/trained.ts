/** What is known of the weights without loading them. Written by `npm run train`; do not edit. */

/** Identity and thresholds of the weights beside this file. */
export const trained = {
  id: "local:1-c9e9b003",
  seed: 1,
  thresholds: { confidence: 0.96, rejection: 0.0021 },
} as const;
