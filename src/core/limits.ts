/** Caps on the text of a tool in a judge's prompt. The tool itself is never shortened. */

import * as z from "zod";
import { integerFrom } from "./parse-options.js";

export const judgeLimitsSchema = z.strictObject({
  descriptionChars: integerFrom(1).default(2000),
  schemaChars: integerFrom(1).default(4000),
  batchChars: integerFrom(1).default(100_000),
});

/** Caps on the tools in a prompt, in characters (UTF-16 units). */
export interface JudgeLimits {
  /** Of one description; the head is kept. Default 2,000. */
  readonly descriptionChars?: number | undefined;
  /** Of one parameter schema, as JSON; the head is kept. Default 4,000. */
  readonly schemaChars?: number | undefined;
  /**
   * Of one batch, all its tools together; a larger one is split, never trimmed. Default 100,000.
   */
  readonly batchChars?: number | undefined;
}

export type ResolvedJudgeLimits = z.output<typeof judgeLimitsSchema>;
