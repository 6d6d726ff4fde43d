/**
 * Reads labelled cases: requests with the tools they need. Conversations and trajectories become
 * one case per turn.
 */

import * as z from "zod";
import { ToolSieveError } from "../errors.js";
import type { TurnMessage } from "../core/types.js";

/** One request with the tools that it needs. */
export interface LabelledCase {
  readonly id: string;
  /** The conversation that it belongs to, else its own id; a bootstrap draws units. */
  readonly unit: string;
  /** The named part of a source; `""` if the file names none. */
  readonly set: string;
  /**
   * `applicable`: every tool that fits is labelled. `called`: the tools that one run called are
   * labelled; others may fit too, so that only recall and the share hidden are measured.
   */
  readonly labels: "applicable" | "called";
  /** Oldest first, up to the turn that is judged. */
  readonly messages: readonly TurnMessage[];
  /** Catalog ids of the tools on offer; `null` is the whole catalog. */
  readonly candidates: readonly string[] | null;
  /**
   * Catalog ids of the tools needed; empty: none applies; `null`: at least one, but it is not known
   * which.
   */
  readonly needed: readonly string[] | null;
}

const ids = z.array(z.string());
const plainMessage = z.looseObject({ role: z.string(), content: z.string() });
const callMessage = z.looseObject({
  role: z.literal("call"),
  name: z.string(),
  result: z.unknown(),
});

const singleCase = z.looseObject({
  id: z.string(),
  set: z.string().default(""),
  messages: z.array(plainMessage),
  candidates: ids.nullable(),
  gold: ids.nullable(),
});
const awarenessCase = z.looseObject({
  id: z.string(),
  set: z.string().default(""),
  messages: z.array(plainMessage),
  needs_tool: z.boolean(),
});
const conversation = z.looseObject({
  id: z.string(),
  set: z.string().default(""),
  candidates: ids.nullable().default(null),
  turns: z.array(
    z.looseObject({
      user: z.union([z.string().transform((text) => [text]), z.array(z.string())]),
      candidates: ids.optional(),
      candidates_removed: ids.default([]),
      gold: ids.nullable(),
    }),
  ),
});
const trajectory = z.looseObject({
  id: z.string(),
  set: z.string().default(""),
  candidates: ids.nullable().default(null),
  messages: z.array(z.union([callMessage, plainMessage])),
});

function toMessage({ role, content }: z.output<typeof plainMessage>): TurnMessage {
  return { role, text: content };
}

function fromSingle(line: z.output<typeof singleCase>): LabelledCase {
  const { id, set, candidates, gold } = line;
  const messages = line.messages.map(toMessage);
  return { id, unit: id, set, labels: "applicable", messages, candidates, needed: gold };
}

function fromAwareness(line: z.output<typeof awarenessCase>): LabelledCase {
  const gold = line.needs_tool ? null : [];
  return fromSingle({ ...line, candidates: null, gold });
}

/** A turn without new user text is judged by the conversation so far. */
function fromConversation(line: z.output<typeof conversation>): readonly LabelledCase[] {
  const history: TurnMessage[] = [];
  return line.turns.map((turn, index) => {
    history.push(...turn.user.map((text) => ({ role: "user", text })));
    const messages = history.slice();
    const toolCalls = (turn.gold ?? []).map((name) => ({ name }));
    if (toolCalls.length > 0) history.push({ role: "assistant", text: "", toolCalls });
    const removed = new Set(turn.candidates_removed);
    return {
      id: `${line.id}/${index + 1}`,
      unit: line.id,
      set: line.set,
      labels: "called",
      messages,
      candidates: turn.candidates ?? line.candidates?.filter((name) => !removed.has(name)) ?? null,
      needed: turn.gold,
    };
  });
}

/** The messages of a call and its result, for later turns. */
function toCallMessages(call: z.output<typeof callMessage>): readonly TurnMessage[] {
  const text = typeof call.result === "string" ? call.result : (JSON.stringify(call.result) ?? "");
  return [
    { role: "assistant", text: "", toolCalls: [{ name: call.name }] },
    { role: "tool", text, toolName: call.name },
  ];
}

/** Drops assistant text right before a call, which may belong to the turn that makes the call. */
function dropOwnText(messages: readonly TurnMessage[]): readonly TurnMessage[] {
  const last = messages.findLastIndex(({ role, toolCalls }) => role !== "assistant" || toolCalls);
  return messages.slice(0, last + 1);
}

function fromTrajectory(line: z.output<typeof trajectory>): readonly LabelledCase[] {
  const cases: LabelledCase[] = [];
  const history: TurnMessage[] = [];
  for (const message of line.messages) {
    const call = callMessage.safeParse(message);
    if (!call.success) {
      history.push(toMessage(plainMessage.parse(message)));
      continue;
    }
    cases.push({
      id: `${line.id}/${cases.length + 1}`,
      unit: line.id,
      set: line.set,
      labels: "called",
      messages: dropOwnText(history),
      candidates: line.candidates,
      needed: [call.data.name],
    });
    history.push(...toCallMessages(call.data));
  }
  return cases;
}

function readCases(value: unknown): readonly LabelledCase[] {
  const has = (key: string): boolean =>
    typeof value === "object" && value !== null && Object.hasOwn(value, key);
  if (has("turns")) return fromConversation(conversation.parse(value));
  if (has("gold")) return [fromSingle(singleCase.parse(value))];
  if (has("needs_tool")) return [fromAwareness(awarenessCase.parse(value))];
  return fromTrajectory(trajectory.parse(value));
}

/**
 * Parses each line of a JSONL text; blank lines are skipped.
 *
 * @throws {ToolSieveError} that names the line and the first wrong field, never its content.
 */
export function parseJsonLines<T>(text: string, parse: (value: unknown) => T): readonly T[] {
  return text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    try {
      return [parse(JSON.parse(line.replace(/^\uFEFF/, "")))];
    } catch (cause) {
      const field = cause instanceof z.ZodError ? (cause.issues[0]?.path.join(".") ?? "") : null;
      const fault =
        field === null ? "text that is not JSON" : `field \`${field}\` missing or wrong`;
      throw new ToolSieveError(`Line ${index + 1}: ${fault}.`);
    }
  });
}

/**
 * Reads a case file in any of the four formats, told apart line by line:
 *
 * - a request: `{id, set?, messages, candidates, gold}`; `gold: []` means that no tool applies,
 *   `gold: null` that at least one does, `candidates: null` the whole catalog
 * - a request without labels: `{id, messages, needs_tool}`
 * - a conversation: `{id, candidates?, turns: [{user, candidates?, candidates_removed?, gold}]}`,
 *   one case a turn
 * - a trajectory: `{id, messages}` where `{role: "call", name, result}` is a call that was made,
 *   one case a call
 *
 * @throws {ToolSieveError} that names the line and the first wrong field, never its content.
 * @example
 * parseCases('{"id":"1","messages":[{"role":"user","content":"Where is A1001?"}],"candidates":null,"gold":["query_order"]}');
 */
export function parseCases(text: string): readonly LabelledCase[] {
  return parseJsonLines(text, readCases).flat();
}
