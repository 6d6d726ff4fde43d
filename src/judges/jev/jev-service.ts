/**
 * The TypeSafe service, or one of its protocol: where it is, with which key, and one request to it.
 */

import * as z from "zod";
import { functionOption } from "../../core/parse-options.js";
import { InvalidOptionsError } from "../../errors.js";
import { postJson, type JsonReply } from "../http.js";
import { baseURLOption, readKey, keyOption, modelOption } from "../service-options.js";

const service = "https://api.typesafe.ai";

const urlPath = "a path that starts with `/`";

/** The option fields that say where the service is; spread into a `strictObject`. */
export const jevServiceFields = {
  apiKey: keyOption.optional(),
  baseURL: baseURLOption.default(service),
  path: z.string(urlPath).startsWith("/", urlPath).default("/v1/systemone"),
  model: modelOption.default("jev-1.13.0"),
  fetch: functionOption<typeof globalThis.fetch>().optional(),
};

export interface JevServiceOptions {
  /**
   * Sent as a bearer token. A key from the environment goes to the service's own address only.
   * @default TYPESAFE_API_KEY, then JEV_API_KEY, of the environment
   */
  readonly apiKey?: string | undefined;
  /**
   * Where the service, or one that speaks its protocol, is found.
   * @default "https://api.typesafe.ai"
   */
  readonly baseURL?: string | undefined;
  /**
   * Appended to `baseURL`; OpenRouter has `/decisions` under `https://openrouter.ai/api/alpha`.
   * @default "/v1/systemone"
   */
  readonly path?: string | undefined;
  /** A pinned model: thresholds move when an alias does. @default "jev-1.13.0" */
  readonly model?: string | undefined;
  /** @default globalThis.fetch */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

interface ServiceSettings {
  readonly apiKey?: string | undefined;
  readonly baseURL: string;
  readonly path: string;
  readonly model: string;
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** The key to send, or `undefined` for a compatible service that was given none. */
function resolveKey({ apiKey, baseURL }: ServiceSettings): string | undefined {
  if (apiKey !== undefined) return apiKey;
  if (new URL(baseURL).origin !== service) return undefined;
  const key = readKey("TYPESAFE_API_KEY", "JEV_API_KEY");
  if (key !== undefined) return key;
  throw new InvalidOptionsError(
    "Expected `apiKey`, or TYPESAFE_API_KEY in the environment, to be a key of visible ASCII characters, got none.",
  );
}

/** What is asked: any state, and questions by id, each in the order in which it is written. */
export interface JevRequest {
  readonly state: object;
  readonly questions: Readonly<Record<string, object>>;
}

/** Sends one request. */
export type AskJev = (request: JevRequest, signal: AbortSignal) => Promise<JsonReply>;

/**
 * Connects to the service.
 *
 * @throws {InvalidOptionsError} if it needs a key and there is none.
 */
export function connectJev(settings: ServiceSettings): AskJev {
  const url = new URL(settings.baseURL).href.replace(/\/+$/, "") + settings.path;
  const key = resolveKey(settings);
  const headers: Record<string, string> = {};
  if (key !== undefined) headers["authorization"] = `Bearer ${key}`;
  return ({ state, questions }, signal) => {
    const body = JSON.stringify({ model: settings.model, state, questions });
    return postJson({ url, headers, body, signal, fetch: settings.fetch });
  };
}
