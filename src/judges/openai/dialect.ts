/** What a server has shown to accept: starts with everything, and gives up one parameter at a time when it is refused. */

import type { RefusableParameter } from "./client-errors.js";

export interface Dialect {
  readonly method: "logprobs" | "stated";
  readonly limitField: "max_completion_tokens" | "max_tokens";
  /** Parameters that were refused and are no longer sent. */
  readonly refused: ReadonlySet<RefusableParameter>;
}

function without(dialect: Dialect, parameter: RefusableParameter): Dialect {
  return { ...dialect, refused: new Set([...dialect.refused, parameter]) };
}

/**
 * How to ask after a parameter was refused; `null` if nothing is left to give up.
 *
 * The token limit changes its name once; alternatives and schema are left out. Without logprobs, or without temperature
 * 0, marks mean nothing: then the model states probabilities, where `mayState` allows that.
 */
export function stepDown(
  dialect: Dialect,
  parameter: RefusableParameter,
  mayState: boolean,
): Dialect | null {
  const { method, limitField, refused } = dialect;
  const stated = mayState ? { ...without(dialect, parameter), method: "stated" as const } : null;
  if (parameter === "max_tokens" || parameter === "max_completion_tokens") {
    const isFirst = !refused.has("max_tokens") && !refused.has("max_completion_tokens");
    const other = limitField === "max_tokens" ? "max_completion_tokens" : "max_tokens";
    return isFirst ? { ...without(dialect, limitField), limitField: other } : null;
  }
  if (refused.has(parameter)) return null;
  if (parameter === "temperature") return stated;
  if (parameter === "response_format") return without(dialect, parameter);
  if (method === "stated") return null;
  return parameter === "logprobs" ? stated : without(dialect, parameter);
}

/** One property, whatever the tools: a schema with one property per tool grows with them, and strict servers limit it. */
const responseFormat = {
  type: "json_schema",
  json_schema: {
    name: "tool_answers",
    strict: true,
    schema: {
      type: "object",
      properties: { answers: { type: "string" } },
      required: ["answers"],
      additionalProperties: false,
    },
  },
};

/** Room for the reply; a stated one is longer, and its model may think before it answers. */
function completionTokens(method: Dialect["method"], tools: number): number {
  return method === "logprobs" ? 4 * tools + 32 : 8 * tools + 1024;
}

/** The parameters of a request about so many tools, beside model and messages. */
export function requestParameters(dialect: Dialect, tools: number): Record<string, unknown> {
  const all: Record<string, unknown> = {
    response_format: responseFormat,
    temperature: 0,
    ...(dialect.method === "logprobs" ? { logprobs: true, top_logprobs: 5 } : {}),
    [dialect.limitField]: completionTokens(dialect.method, tools),
  };
  return Object.fromEntries(
    Object.entries(all).filter(([name]) => !dialect.refused.has(name as RefusableParameter)),
  );
}
