/** The parameters that a server accepts: all at first, less one for each refusal. */

import type { RefusableParameter } from "./client-errors.js";

export interface Dialect {
  readonly method: "logprobs" | "stated";
  readonly limitField: "max_completion_tokens" | "max_tokens";
  /** Parameters that were refused and are no longer sent. */
  readonly refused: ReadonlySet<RefusableParameter>;
}

function refuse(dialect: Dialect, parameter: RefusableParameter): Dialect {
  return { ...dialect, refused: new Set([...dialect.refused, parameter]) };
}

/**
 * The dialect after a parameter was refused; `null` if no other one is left.
 *
 * The token limit changes its name once; `top_logprobs` and the schema are left out. Without
 * logprobs, or without temperature 0, marks have no probability: then the model states
 * probabilities, if `mayState` allows that.
 */
export function stepDown(
  dialect: Dialect,
  parameter: RefusableParameter,
  mayState: boolean,
): Dialect | null {
  const { method, limitField, refused } = dialect;
  const stated = mayState ? { ...refuse(dialect, parameter), method: "stated" as const } : null;
  if (parameter === "max_tokens" || parameter === "max_completion_tokens") {
    const isFirst = !refused.has("max_tokens") && !refused.has("max_completion_tokens");
    const other = limitField === "max_tokens" ? "max_completion_tokens" : "max_tokens";
    return isFirst ? { ...refuse(dialect, limitField), limitField: other } : null;
  }
  if (refused.has(parameter)) return null;
  if (parameter === "temperature") return stated;
  if (parameter === "response_format") return refuse(dialect, parameter);
  if (method === "stated") return null;
  return parameter === "logprobs" ? stated : refuse(dialect, parameter);
}

/** The same for any tools: strict servers limit the size of a schema. */
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

/** The token limit of the reply; a stated one is longer, and may come from a reasoning model. */
function limitTokens(method: Dialect["method"], tools: number): number {
  return method === "logprobs" ? 4 * tools + 32 : 8 * tools + 1024;
}

/** The parameters of a request about so many tools, beside model and messages. */
export function listParameters(dialect: Dialect, tools: number): Record<string, unknown> {
  const asksLogprobs = dialect.method === "logprobs";
  const all: Record<string, unknown> = {
    response_format: responseFormat,
    temperature: 0,
    logprobs: asksLogprobs ? true : undefined,
    top_logprobs: asksLogprobs ? 5 : undefined,
    [dialect.limitField]: limitTokens(dialect.method, tools),
  };
  return Object.fromEntries(
    Object.entries(all).filter(
      ([name, value]) => value !== undefined && !dialect.refused.has(name as RefusableParameter),
    ),
  );
}
