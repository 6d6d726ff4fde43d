/**
 * Builds the context of a judge: redacted, bounded, the newest messages first to be kept, no system
 * prompt.
 */

import * as z from "zod";
import { ignoreRejection } from "./call-safely.js";
import { integerFrom } from "./parse-options.js";
import { cleanText, cutText, stripInvisible } from "./text.js";
import type { JudgeContext, JudgeMessage, TurnMessage } from "./types.js";

/** How the conversation is cut for the judge. Characters are UTF-16 units. */
export type ContextOptions =
  | {
      /** The newest messages. The default. */
      readonly strategy?: "recent-window" | undefined;
      /**
       * From 1. Blank messages use no slot.
       * @default 8
       */
      readonly maxMessages?: number | undefined;
      /**
       * From 1; for all messages together, and for the request. The oldest message kept is cut, its
       * head stays.
       * @default 8000
       */
      readonly maxChars?: number | undefined;
    }
  | {
      /** The current request alone. */
      readonly strategy: "latest-user-message";
      /** @default 8000 */
      readonly maxChars?: number | undefined;
    }
  | {
      /** Everything but the system prompt. */
      readonly strategy: "full-conversation";
      /** @default no limit */
      readonly maxChars?: number | undefined;
    };

const positive = integerFrom(1);

export const contextOptionsSchema = z
  .strictObject({
    strategy: z
      .enum(["recent-window", "latest-user-message", "full-conversation"], {
        error: '"recent-window", "latest-user-message" or "full-conversation"',
      })
      .default("recent-window"),
    maxMessages: positive.optional(),
    maxChars: positive.optional(),
  })
  .refine(
    ({ strategy, maxMessages }) => maxMessages === undefined || strategy === "recent-window",
    { path: ["maxMessages"], error: 'absent unless the strategy is "recent-window"' },
  )
  .transform(({ strategy, maxMessages, maxChars }) => ({
    strategy,
    maxMessages: strategy === "recent-window" ? (maxMessages ?? 8) : Number.MAX_SAFE_INTEGER,
    maxChars: maxChars ?? (strategy === "full-conversation" ? Number.MAX_SAFE_INTEGER : 8000),
  }));

export type ResolvedContextOptions = z.output<typeof contextOptionsSchema>;

/** Replaces text that must not leave the process; called with every text before any judge. */
export type Redact = (text: string, role: string) => string;

const toolResultChars = 2000;

/** Index of the last user message, -1 if there is none. */
export function lastUserIndex(messages: readonly TurnMessage[]): number {
  return messages.findLastIndex(({ role }) => role === "user");
}

/**
 * The text of the user's current request; `null` if there is no user message, or the last one has
 * no text.
 */
export function requestText(messages: readonly TurnMessage[]): string | null {
  const text = stripInvisible(messages[lastUserIndex(messages)]?.text ?? "");
  return text.trim() === "" ? null : text;
}

function isJudgeRole(role: string): role is JudgeMessage["role"] {
  return role === "user" || role === "assistant" || role === "tool";
}

function clean(text: string, role: JudgeMessage["role"], redact: Redact): string {
  const redacted: unknown = redact(text, role);
  if (typeof redacted !== "string") {
    ignoreRejection(redacted);
    throw new TypeError("`redact` returned something that is not a string.");
  }
  const visible = cleanText(redacted);
  return role === "tool" ? cutText(visible, toolResultChars) : visible;
}

function* newestFirst(messages: readonly TurnMessage[], redact: Redact): Generator<JudgeMessage> {
  for (const { role, text } of messages.toReversed()) {
    if (!isJudgeRole(role)) continue;
    const cleaned = clean(text, role, redact);
    if (cleaned.trim() !== "") yield { role, text: cleaned };
  }
}

function takeWindow(
  messages: Iterable<JudgeMessage>,
  options: ResolvedContextOptions,
): readonly JudgeMessage[] {
  const kept: JudgeMessage[] = [];
  let charsLeft = options.maxChars;
  for (const { role, text } of messages) {
    const head = cutText(text, charsLeft);
    if (head !== "") kept.unshift({ role, text: head });
    charsLeft -= head.length;
    if (charsLeft <= 0 || head.length < text.length || kept.length === options.maxMessages) break;
  }
  return kept;
}

/** All batches of a turn share one context, which no judge may change for the others. */
function freezeContext({ request, messages }: JudgeContext): JudgeContext {
  return Object.freeze({
    request,
    messages: Object.freeze(messages.map((message) => Object.freeze(message))),
  });
}

/**
 * Builds the judge's view of a conversation that has a request.
 *
 * @throws whatever `redact` throws; nothing unredacted is ever returned.
 */
export function buildContext(
  messages: readonly TurnMessage[],
  options: ResolvedContextOptions,
  redact: Redact,
): JudgeContext {
  const request = messages[lastUserIndex(messages)];
  const visible =
    options.strategy === "latest-user-message" && request !== undefined ? [request] : messages;
  return freezeContext({
    request: cutText(clean(request?.text ?? "", "user", redact), options.maxChars),
    messages: takeWindow(newestFirst(visible, redact), options),
  });
}

const judgeContextSchema = z.object({
  request: z.string(),
  messages: z.array(z.object({ role: z.enum(["user", "assistant", "tool"]), text: z.string() })),
});

/**
 * Checks and redacts the context that a user's function returned.
 *
 * @throws {TypeError} if it is not `{ request, messages }`; whatever `redact` throws.
 */
export function cleanContext(value: unknown, redact: Redact): JudgeContext {
  const parsed = judgeContextSchema.safeParse(value);
  if (!parsed.success) {
    ignoreRejection(value);
    throw new TypeError("`context` returned something that is not { request, messages }.");
  }
  return freezeContext({
    request: clean(parsed.data.request, "user", redact),
    messages: parsed.data.messages.map(({ role, text }) => ({
      role,
      text: clean(text, role, redact),
    })),
  });
}
