/**
 * A plain function as the judge of an agent, behind a cache: whatever you can compute, or ask of a service of your own.
 *
 * Run: `npx tsx examples/function-judge.ts`. It compares words, as a stand-in for your own judgment, and needs no key.
 */

import { caching, type JudgeRequest } from "../src/index.js";
import { runOrderDesk, sharedWords } from "./support/order-desk.js";

/** One number per candidate, in their order; `null` where the function cannot tell. */
function compareWords({ context, candidates }: JudgeRequest): readonly (number | null)[] {
  return candidates.map(({ description }) =>
    description === undefined ? null : sharedWords(context.request, description),
  );
}

console.log("asking a function, a stand-in for your own judgment");
await runOrderDesk(caching(compareWords));
