/** The `createAgent` adapter: one middleware that puts a tool selector around every model call. */

import { createMiddleware } from "langchain";
import type { AgentMiddleware, ModelRequest } from "langchain";
import * as z from "zod";
import { ignoreRejection } from "../../core/call-safely.js";
import { functionOption, parseOptions } from "../../core/parse-options.js";
import { readList } from "../../core/read.js";
import type { MemoryChange, Selection, Turn, TurnOverrides } from "../../core/types.js";
import type { ToolSelectorOptions } from "../../core/options.js";
import type { ToolSelector } from "../../selector/tool-selector.js";
import type { Warn } from "../../core/warn-once.js";
import { createWarnOnce } from "../../core/warn-once.js";
import { announceSelection } from "../announce-selection.js";
import { describeLangChainTool } from "../describe-langchain-tool.js";
import { toFinderTool } from "../finder-tool.js";
import { toTurnMessages } from "../read-messages.js";
import { readModelOutcome } from "../read-outcome.js";
import { currentConfig, readRun } from "../read-run.js";
import { readModelApi, resolveModel } from "../read-model-api.js";
import { readMemoryKey, remembersThreads } from "../thread-state.js";
import { toSelector } from "../to-selector.js";
import { keepLastOfEachName } from "../unique-tools.js";
import { createMemoryState, withMemory } from "./thread-memory-state.js";
import { createToolCallWrapper } from "./wrap-tool-calls.js";

type Request = ModelRequest;
type WrapModelCall = NonNullable<AgentMiddleware["wrapModelCall"]>;
type Tool = Request["tools"][number];
type ReadId = (request: Request) => string | undefined;

/** How the middleware reads a request. */
export interface ToolSelectorMiddlewareOptions {
  /**
   * Name of the middleware; two of one name in an agent throw.
   * @default "ToolSelector"
   */
  readonly name?: string | undefined;
  /**
   * The thread of a request.
   * @default request.runtime.configurable?.thread_id
   */
  readonly threadId?: ReadId | undefined;
  /** User, tenant or job of a request: the unit of evidence where threads of one are alike. */
  readonly groupId?: ReadId | undefined;
}

const middlewareOptionsSchema = z.strictObject({
  name: z
    .string("a string of at least one character")
    .min(1, "a string of at least one character")
    .default("ToolSelector"),
  threadId: functionOption<ReadId>().optional(),
  groupId: functionOption<ReadId>().optional(),
});

/** The keys of `context` that the middleware reads; all are optional. */
type OverridesSchema = z.ZodObject<{
  toolSelector: z.ZodOptional<z.ZodCustom<TurnOverrides, TurnOverrides>>;
}>;

interface MiddlewareDefinition {
  readonly name: string;
  readonly wrapModelCall: WrapModelCall;
  stateSchema?: ReturnType<typeof createMemoryState>;
  wrapToolCall?: ReturnType<typeof createToolCallWrapper>;
}

/** The middleware, with the selector that it runs. */
export type ToolSelectorMiddleware = AgentMiddleware<undefined, OverridesSchema> & {
  readonly selector: ToolSelector;
};

interface Readers {
  readonly threadId?: ReadId | undefined;
  readonly groupId?: ReadId | undefined;
}

/** Reads the ids; a reader that throws or returns a non-string is ignored. */
function readIds(
  request: Request,
  readers: Readers,
  warn: Warn,
): Partial<Record<keyof Readers, string>> {
  const ids: Partial<Record<keyof Readers, string>> = {};
  for (const which of ["threadId", "groupId"] as const) {
    try {
      const id: unknown = readers[which]?.(request);
      if (typeof id === "string") ids[which] = id;
      else ignoreRejection(id);
    } catch {
      warn(which, `\`${which}\` of the middleware threw; the turn goes on without it.`);
    }
  }
  return ids;
}

/** The tools that the host carries through a middleware. */
function keepOfferable(tools: readonly Tool[], warn: Warn): readonly Tool[] {
  const unique = keepLastOfEachName(tools);
  for (const name of unique.duplicates) {
    warn(
      `duplicate:${name}`,
      `Several tools are named ${JSON.stringify(name.slice(0, 128))}: only the last one is offered, but the agent executes the first. Rename one of them.`,
    );
  }
  return unique.tools;
}

/** Only a model that may be asked for `allowed_tools` is looked at. */
async function readApi(
  model: unknown,
  tools: readonly Tool[],
  { options }: ToolSelector,
): Promise<Turn["allowedToolsApi"]> {
  if (options.enforcement === "omit") return undefined;
  return readModelApi(await resolveModel(model), tools);
}

function toTurn(request: Request, tools: readonly Tool[]): Turn<Tool> {
  return {
    ...readRun(currentConfig(), request.runtime),
    messages: toTurnMessages(readList(request, "messages")),
    tools,
    describe: describeLangChainTool,
    toolChoice: request.toolChoice,
    emptyAllowed: request.responseFormat === undefined || request.responseFormat === null,
  };
}

/**
 * The very request where nothing changes; else one with these tools, the finder, the tool choice.
 */
function changeRequest(
  request: Request,
  offered: readonly Tool[],
  selection: Selection | null,
): Request {
  const finder = selection?.finder ?? null;
  const toolChoice = selection?.toolChoice;
  if (offered === request.tools && finder === null && toolChoice === undefined) return request;
  const tools = finder === null ? [...offered] : [...offered, toFinderTool(finder)];
  const changed: Request = { ...request, tools };
  return toolChoice === undefined ? changed : Object.assign(changed, { toolChoice });
}

/**
 * Filters the tools of a `createAgent` agent before every model call.
 *
 * In `shadow`, the default, the request goes on untouched and the judge works beside the model. In
 * `enforce` the model is offered a subsequence of the agent's own tools. One exception holds in
 * every mode: of two executable tools with one name only the last is offered, because the host
 * refuses the first behind any middleware.
 *
 * Overrides for one call: `agent.invoke(input, { context: { toolSelector: { mode: "enforce" } }
 * })`.
 *
 * @param selector a tool selector, shared with other agents if you like, or the options of a new
 * one.
 * @throws {InvalidOptionsError} if an option is wrong.
 * @example
 * const agent = createAgent({
 *   model: "openai:gpt-5",
 *   tools,
 *   middleware: [toolSelectorMiddleware({ sinks: jsonlSink("shadow.jsonl") })],
 * });
 */
export function toolSelectorMiddleware(
  selector?: ToolSelector | ToolSelectorOptions,
  options?: ToolSelectorMiddlewareOptions,
): ToolSelectorMiddleware {
  const { name, ...readers } = parseOptions(
    middlewareOptionsSchema,
    options,
    "toolSelectorMiddleware",
  );
  const ours = toSelector(selector);
  const warn = createWarnOnce(ours.options.logger);
  const isRemembering = remembersThreads(ours);
  const wrapModelCall: WrapModelCall = async (request, handler) => {
    // Without a list the host offers its own whole catalog, and there is nothing to select from.
    if (!Array.isArray(request.tools)) return handler(request);
    const config = currentConfig();
    const tools = keepOfferable(request.tools, warn);
    const turn: Turn<Tool> = {
      ...toTurn(request, tools),
      ...readIds(request, readers, warn),
      memory: isRemembering ? readMemoryKey(request.state) : undefined,
      allowedToolsApi: await readApi(request.model, tools, ours),
    };
    let change: MemoryChange | null = null;
    const result = await ours.run(turn, {
      callModel: async (offered, selection) =>
        handler(changeRequest(request, offered, selection ?? null)),
      onSelection: (selection) => announceSelection(selection, config),
      readOutcome: (answer) => readModelOutcome(answer, readList(request, "messages")),
      saveMemory: (saved) => {
        change = saved;
      },
    });
    return withMemory(result, change);
  };
  // What an option does not need is not there: a `wrapToolCall` alone changes how the host checks
  // tools.
  const definition: MiddlewareDefinition = { name, wrapModelCall };
  if (isRemembering) definition.stateSchema = createMemoryState();
  if (ours.options.guard || ours.options.findTools !== null) {
    definition.wrapToolCall = createToolCallWrapper(ours);
  }
  const middleware = createMiddleware(definition as Parameters<typeof createMiddleware>[0]);
  return Object.assign(middleware, { selector: ours }) as unknown as ToolSelectorMiddleware;
}
