/** What to search tools with: what the user asks for now, and what the loop has learnt since. */

import type { JudgeContext } from "./types.js";

const maxChars = 8000;

/**
 * The current request, followed by the textual tool results since the user's last message: what a
 * tool has answered may call for another one. `null` if there is nothing to search with.
 *
 * @example
 * readSearchText({ request: "Refund my last order", messages: [] }); // "Refund my last order"
 */
export function readSearchText({ request, messages }: JudgeContext): string | null {
  const lastUser = messages.findLastIndex(({ role }) => role === "user");
  const results = messages
    .slice(lastUser + 1)
    .filter(({ role }) => role === "tool")
    .map(({ text }) => text);
  const text = [request, ...results].map((part) => part.trim()).filter((part) => part !== "");
  return text.length === 0 ? null : text.join("\n").slice(0, maxChars);
}
