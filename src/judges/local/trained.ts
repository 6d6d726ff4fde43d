export const trained = {
  id: "local:1-0",
  seed: 1,
  thresholds: { confidence: 0.85, rejection: 0.002 },
  benefitOfDoubt: 0.0021,
} as const;
