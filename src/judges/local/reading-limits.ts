/** How much the encoder reads of each kind of text; training/encoder/texts.py cuts them alike. */

import type { ReadingLimits } from "../../encoder/text-encoder.js";

/** Kinds of texts. */
export type TextKind = "tool" | "text" | "window";

/** The newest end of a window matters most, and the start of everything else. */
export const readingLimits: Readonly<Record<TextKind, ReadingLimits>> = {
  tool: { maxTokens: 48 },
  text: { maxTokens: 64 },
  window: { maxTokens: 64, keep: "end" },
};
