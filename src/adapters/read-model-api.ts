/** Tells whether a chat model takes OpenAI's `allowed_tools`, and in which API's spelling. */

import { read } from "../core/read.js";
import { InvalidOptionsError } from "../errors.js";
import type { ToolSelector } from "../selector/tool-selector.js";

type AllowedToolsApi = "chat" | "responses";

/** Models of these types refuse, or ignore, a tool choice that lists tools. */
const otherProviders =
  /anthropic|bedrock|cohere|deepseek|fireworks|gemini|google|groq|mistral|ollama|together|vertex|xai/i;

function readType(model: unknown): string {
  const type = read(model, "_llmType");
  if (typeof type !== "function") return "";
  try {
    return String(Reflect.apply(type, model, []));
  } catch {
    return "";
  }
}

/** The API that a model of `@langchain/openai` would call with these tools; else `undefined`. */
export function readModelApi(
  model: unknown,
  tools: readonly unknown[],
): AllowedToolsApi | undefined {
  const type = readType(model);
  if (type !== "openai" && type !== "azure_openai") return undefined;
  const usesResponses = read(model, "_useResponsesApi");
  if (typeof usesResponses !== "function") {
    return read(model, "lc_namespace") === undefined ? undefined : "chat";
  }
  try {
    return Reflect.apply(usesResponses, model, [{ tools }]) === true ? "responses" : "chat";
  } catch {
    return undefined;
  }
}

/** The model behind one that is chosen at run time, such as `initChatModel` gives. */
export async function resolveModel(model: unknown): Promise<unknown> {
  const getInstance = read(model, "_getModelInstance");
  if (typeof getInstance !== "function") return model;
  try {
    return await Reflect.apply(getInstance, model, []);
  } catch {
    return model;
  }
}

/**
 * Refuses a model that is known not to take `allowed_tools`.
 *
 * @throws {InvalidOptionsError} if the selector's `enforcement` needs it.
 */
export function checkModelApi(model: unknown, { options }: ToolSelector): void {
  const type = readType(model);
  if (options.enforcement !== "allowed-tools" || !otherProviders.test(type)) return;
  throw new InvalidOptionsError(
    `Expected \`enforcement\` to be "omit" with a model of type ${JSON.stringify(type)}, which takes no \`allowed_tools\`.`,
  );
}
