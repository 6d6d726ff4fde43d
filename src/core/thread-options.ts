/**
 * Options that reach across turns: stability, recovery, limits. Each is off by default, and costs
 * nothing when off.
 */

import * as z from "zod";
import { booleanOption, integerFrom, textOption } from "./parse-options.js";
import { read } from "./read.js";
import type { ToolIndex } from "./types.js";

/** Options of `createToolSelector` that reach across turns. */
export interface ThreadOptions {
  /**
   * Keeps tools visible that were visible before: within one user message, or within the thread.
   * They are outside `maxTools`. A fallback is not remembered.
   * @default "off"
   */
  readonly sticky?: "off" | "run" | "thread" | undefined;
  /**
   * Sticky tools that a new user message begins with at most, from 1 to 1024; the oldest leave
   * first.
   * @default 64
   */
  readonly stickyMax?: number | undefined;
  /**
   * `user-message`: later steps of a loop use the judgments of its first step, and judge new or
   * redescribed tools only.
   * @default "every-turn"
   */
  readonly rejudge?: "every-turn" | "user-message" | undefined;
  /**
   * `allowed-tools`: the request carries every tool, and OpenAI's tool choice says which ones may
   * be called, so that the provider's cached prefix stays. Where the model cannot do it, tools are
   * left out, with one warning.
   * @default "omit"
   */
  readonly enforcement?: "omit" | "allowed-tools" | undefined;
  /** Tools that a fallback offers at most, from 1; for providers that refuse a longer list. */
  readonly fallbackMaxTools?: number | undefined;
  /**
   * Groups of names and globs: a tool that matches a later entry is never offered without those of
   * the earlier entries.
   * @default []
   */
  readonly keepTogether?: readonly (readonly string[])[] | undefined;
  /**
   * Memory of threads in this process, for hosts without a state. `maxThreads`: 10,000 by default.
   */
  readonly memory?: { readonly maxThreads?: number | undefined } | undefined;
  /**
   * Catalogs with more than `over` candidates (256): only the `size` (128) best matches of an index
   * reach the judge, the others are hidden. `true` takes every default. An index that fails or is
   * late lets all candidates through.
   */
  readonly shortlist?:
    | boolean
    | {
        /** @default createLexicalToolIndex() */
        readonly index?: ToolIndex | undefined;
        readonly size?: number | undefined;
        readonly over?: number | undefined;
      }
    | undefined;
  /**
   * A tool for the model that gets a hidden tool back, offered only when something is hidden.
   * @default false
   */
  readonly findTools?:
    | boolean
    | {
        /** @default "find_tools" */
        readonly name?: string | undefined;
        /**
         * Matches, from 1 to 20, where the model asks for no number.
         * @default 5
         */
        readonly limit?: number | undefined;
        /** @default createLexicalToolIndex() */
        readonly index?: ToolIndex | undefined;
      }
    | undefined;
  /**
   * Does not execute the call of a hidden tool: the model gets an error that names the nearest
   * visible tools.
   * @default false
   */
  readonly guard?: boolean | undefined;
}

/** What every provider takes as the name of a tool. */
const toolName = /^[\w-]{1,64}$/;
const nameExpectation = "1 to 64 letters, digits, _ or -";
const groupExpectation = "an array of at least two names or globs";

const indexSchema = z.custom<ToolIndex>(
  (value) => read(value, "kind") === "tool-index" && typeof read(value, "search") === "function",
  "a tool index",
);

const shortlistSchema = z
  .strictObject(
    {
      index: indexSchema.optional(),
      size: integerFrom(1).default(128),
      over: integerFrom(1).default(256),
    },
    "true, false or { index, size, over }",
  )
  .refine(({ size, over }) => size <= over, { path: ["size"], error: "at most `over`" });

const findToolsSchema = z.strictObject(
  {
    name: z.string(nameExpectation).regex(toolName, nameExpectation).default("find_tools"),
    limit: integerFrom(1).max(20, "an integer from 1 to 20").default(5),
    index: indexSchema.optional(),
  },
  "true, false or { name, limit, index }",
);

/** `true` stands for every default, `false` for nothing. */
const resolveFlag = <V>(value: boolean | V, whole: () => V): V | null => {
  if (typeof value !== "boolean") return value;
  return value ? whole() : null;
};

/** The schemas of {@link ThreadOptions}. */
export const threadOptionsShape = {
  sticky: z.enum(["off", "run", "thread"], '"off", "run" or "thread"').default("off"),
  stickyMax: integerFrom(1).max(1024, "an integer from 1 to 1024").default(64),
  rejudge: z
    .enum(["every-turn", "user-message"], '"every-turn" or "user-message"')
    .default("every-turn"),
  enforcement: z.enum(["omit", "allowed-tools"], '"omit" or "allowed-tools"').default("omit"),
  fallbackMaxTools: integerFrom(1).optional(),
  keepTogether: z
    .array(z.array(textOption(), groupExpectation).min(2, groupExpectation), "an array of groups")
    .default([]),
  memory: z
    .strictObject({ maxThreads: integerFrom(1).default(10_000) })
    .default({ maxThreads: 10_000 }),
  shortlist: z
    .union([booleanOption(), shortlistSchema])
    .default(false)
    .transform((value) => resolveFlag(value, () => shortlistSchema.parse({}))),
  findTools: z
    .union([booleanOption(), findToolsSchema])
    .default(false)
    .transform((value) => resolveFlag(value, () => findToolsSchema.parse({}))),
  guard: booleanOption().default(false),
};

/** {@link ThreadOptions} with every default filled in. */
export type ResolvedThreadOptions = z.output<z.ZodObject<typeof threadOptionsShape>>;

/** True if anything is to be remembered from one turn to the next. */
export function needsMemory({
  sticky,
  rejudge,
  findTools,
  guard,
  fallbackMaxTools,
}: ResolvedThreadOptions): boolean {
  return (
    sticky !== "off" ||
    rejudge !== "every-turn" ||
    findTools !== null ||
    guard ||
    fallbackMaxTools !== undefined
  );
}

/** The options that change a selection, as plain data. */
export function describeThreadPolicy(options: ResolvedThreadOptions): unknown {
  const { shortlist, findTools } = options;
  return {
    sticky: options.sticky,
    stickyMax: options.stickyMax,
    rejudge: options.rejudge,
    enforcement: options.enforcement,
    fallbackMaxTools: options.fallbackMaxTools ?? null,
    keepTogether: options.keepTogether,
    shortlist: shortlist === null ? null : { size: shortlist.size, over: shortlist.over },
    findTools: findTools === null ? null : { name: findTools.name, limit: findTools.limit },
    guard: options.guard,
  };
}
