/** Runs LangChain models for the judges, and turns their errors into errors of this package. */

import * as z from "zod";
import { textOption } from "../../core/parse-options.js";
import { JudgeResponseError, ToolSieveError } from "../../errors.js";
import { read } from "../../core/read.js";
import { untilAborted } from "../../core/abort.js";
import { isControlFlow } from "../../core/control-flow.js";
import { readNetworkCode, readStatus } from "../failure.js";
import { createHttpError, readPlainText } from "../http.js";
import { toJudgeError } from "../openai/client-errors.js";

/** LangChain callbacks: handlers, or a callback manager. */
export type ModelCallbacks = readonly unknown[] | object;

/** The option fields that judges over a LangChain model share. */
export const modelFields = {
  id: textOption().optional(),
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
   * LangChain callbacks of the judge's runs; `[]` keeps them out of `streamEvents`, and out of
   * tracing.
   *
   * @default those of the surrounding run
   */
  readonly callbacks?: ModelCallbacks | undefined;
}

/** Reads the name of a model: `model`, `modelName` or its class. */
export function readModelName(model: object): string {
  const names = [read(model, "model"), read(model, "modelName"), model.constructor?.name];
  return names.map(readPlainText).find((name) => name !== undefined) ?? "model";
}

/** The config of a run: hidden from the `messages` stream, with one name in traces. */
export function createRunConfig(
  signal: AbortSignal,
  callbacks: ModelCallbacks | undefined,
): object {
  const config = {
    tags: ["nostream"],
    metadata: { lc_source: "toolsieve" },
    runName: "toolsieve_judge",
    signal,
  };
  // Without the key, the callbacks of the surrounding run are used.
  return callbacks === undefined ? config : { ...config, callbacks };
}

function listCauses(error: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  for (let next = error; next !== undefined && causes.length < 4; next = read(next, "cause")) {
    causes.push(next);
  }
  return causes;
}

/** Messages of LangChain's base class for a reply with a missing or wrong answer. */
const incompleteReply = /^(?:Decision model returned|Invalid decision model response)/;

/** Turns an error of a model into one of this package, without any of its text. */
function toModelError(error: unknown): unknown {
  if (isControlFlow(error) || ToolSieveError.isInstance(error)) return error;
  if (read(error, "name") === "ModelRefusalError") {
    return new JudgeResponseError("The judge's model refused.", { reason: "refused" });
  }
  if (readStatus(error) !== null) return toJudgeError(error);
  const code = listCauses(error)
    .map(readNetworkCode)
    .find((found) => found !== null);
  const isConnection = /Connection(?:Timeout)?Error$/.test(String(read(error, "name")));
  if (code !== undefined || isConnection)
    return createHttpError({ status: null, code: code ?? null });
  const message = read(error, "message");
  if (typeof message === "string" && incompleteReply.test(message)) {
    return new JudgeResponseError("The judge's model left a question unanswered.", {
      reason: "malformed",
    });
  }
  return new ToolSieveError("The judge's model failed.");
}

/**
 * Runs a model; rejects with errors of this package (LangGraph's control flow passes), and with the
 * signal's reason as soon as it aborts.
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
