/** What the judges over LangChain models have in common: how a model is run, and what its failures become. */

import * as z from "zod";
import { JudgeResponseError, ToolSieveError } from "../../errors.js";
import { read } from "../../core/read.js";
import type { JudgeUsage } from "../../core/types.js";
import { untilAborted } from "../../core/abort.js";
import { isControlFlow } from "../../core/control-flow.js";
import { networkCodeOf, statusOf } from "../failure.js";
import { httpError, plainToken } from "../http.js";
import { toJudgeError } from "../openai/client-errors.js";

/** LangChain callbacks: handlers, or a callback manager. */
export type ModelCallbacks = readonly unknown[] | object;

/** The option fields that judges over a LangChain model share. */
export const modelFields = {
  id: z.string("a non-empty string").min(1, "a non-empty string").optional(),
  callbacks: z
    .custom<ModelCallbacks>(
      (value) => typeof value === "object" && value !== null,
      "LangChain callbacks",
    )
    .optional(),
};

export interface ModelJudgeOptions {
  /** Identifies the judge in records; by default the model's own name. */
  readonly id?: string | undefined;
  /**
   * LangChain callbacks of the judge's runs; `[]` keeps them out of `streamEvents`, and out of tracing.
   * @default those of the surrounding run
   */
  readonly callbacks?: ModelCallbacks | undefined;
}

/** The name that a model goes by: `model`, `modelName` or its class. */
export function modelNameOf(model: object): string {
  const names = [read(model, "model"), read(model, "modelName"), model.constructor?.name];
  return names.map(plainToken).find((name) => name !== undefined) ?? "model";
}

/** Nothing of the run reaches the user's `messages` stream; traces show it under one name. */
export function runConfig(signal: AbortSignal, callbacks: ModelCallbacks | undefined): object {
  return {
    tags: ["nostream"],
    metadata: { lc_source: "toolsieve" },
    runName: "toolsieve_judge",
    signal,
    ...(callbacks === undefined ? {} : { callbacks }),
  };
}

function causesOf(error: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  for (let next = error; next !== undefined && causes.length < 4; next = read(next, "cause")) {
    causes.push(next);
  }
  return causes;
}

/** The base class of LangChain's decision models words a reply with a missing or wrong answer like this, and drops it. */
const incompleteReply = /^(?:Decision model returned|Invalid decision model response)/;

/** The error to throw for what a model threw, without anything of its text. */
function toModelError(error: unknown): unknown {
  if (isControlFlow(error) || ToolSieveError.isInstance(error)) return error;
  if (read(error, "name") === "ModelRefusalError") {
    return new JudgeResponseError("The judge's model refused.", { reason: "refused" });
  }
  if (statusOf(error) !== null) return toJudgeError(error);
  const code = causesOf(error)
    .map(networkCodeOf)
    .find((found) => found !== null);
  const isConnection = /Connection(?:Timeout)?Error$/.test(String(read(error, "name")));
  if (code !== undefined || isConnection) return httpError({ status: null, code: code ?? null });
  const message = read(error, "message");
  if (typeof message === "string" && incompleteReply.test(message)) {
    return new JudgeResponseError("The judge's model left a question unanswered.", {
      reason: "malformed",
    });
  }
  return new ToolSieveError("The judge's model failed.");
}

/**
 * Runs a model; rejects with errors of this package (LangGraph's control flow passes), and with the signal's reason as
 * soon as it aborts.
 */
export async function runModel(
  run: () => PromiseLike<unknown>,
  signal: AbortSignal,
): Promise<unknown> {
  signal.throwIfAborted();
  try {
    return await untilAborted((async () => run())(), signal);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw toModelError(error);
  }
}

const tokens = z.number().int().nonnegative();
const usageSchema = z.object({
  input_tokens: tokens,
  output_tokens: tokens,
  input_token_details: z.object({ cache_read: tokens }).optional().catch(undefined),
});

/** LangChain's `usage_metadata`; `undefined` if it is absent or not whole. */
export function readUsageMetadata(metadata: unknown): JudgeUsage | undefined {
  const parsed = usageSchema.safeParse(metadata);
  if (!parsed.success) return undefined;
  const { input_tokens, output_tokens, input_token_details: details } = parsed.data;
  return {
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    ...(details === undefined ? {} : { cachedInputTokens: details.cache_read }),
  };
}
