/**
 * Connects to an OpenAI-compatible service: client loaded lazily, no retries, logs or redirects of
 * its own, bounded replies.
 */

import * as z from "zod";
import { loadPackage } from "../../core/load-package.js";
import { read } from "../../core/read.js";
import type { Logger } from "../../core/types.js";
import { warn } from "../../core/warn-once.js";
import { InvalidOptionsError, ToolSieveError } from "../../errors.js";
import { untilAborted } from "../../core/abort.js";
import { limitFetch, needsNoBody, parseJson } from "../http.js";
import { toJudgeError } from "./client-errors.js";
import { readKey } from "../service-options.js";

/** The part of a client of the `openai` package (6.x or 7.x) that the judge uses. */
export interface OpenAIClient {
  readonly chat: {
    readonly completions: { create(body: object, options?: object): PromiseLike<unknown> };
  };
  post?(path: string, options?: object): PromiseLike<unknown>;
  withOptions?(options: object): OpenAIClient;
}

/** An option that is a client. */
export const clientOption: z.ZodCustom<OpenAIClient, OpenAIClient> = z.custom<OpenAIClient>(
  (value) => typeof read(read(read(value, "chat"), "completions"), "create") === "function",
  "a client of the `openai` package",
);

export interface ConnectionOptions {
  readonly client?: OpenAIClient | undefined;
  readonly baseURL: string;
  readonly apiKey?: string | undefined;
  /** Warned if the client cannot be loaded. */
  readonly logger?: Logger | undefined;
}

/**
 * One request of the judge; rejects with errors of this package, or with the signal's reason at
 * once.
 */
export type Send = (
  path: "/chat/completions" | "/decisions",
  body: object,
  signal: AbortSignal,
) => Promise<unknown>;

const openaiPackage = { name: "openai", versions: "6.41 or later, or 7", major: 6 };

export const officialBaseURL = "https://api.openai.com/v1";

/** True for the service that `OPENAI_API_KEY` belongs to, its regional hosts included. */
function isOfficial(baseURL: string): boolean {
  const { protocol, hostname } = new URL(baseURL);
  return protocol === "https:" && /^(?:[\w-]+\.)?api\.openai\.com$/.test(hostname);
}

/** The key to send; `null`: none. A key from the environment goes to OpenAI's own service only. */
function resolveKey(options: ConnectionOptions): string | null {
  if (options.apiKey !== undefined) return options.apiKey;
  if (!isOfficial(options.baseURL)) return null;
  const key = readKey("OPENAI_API_KEY");
  if (key !== undefined) return key;
  throw new InvalidOptionsError(
    "Expected `apiKey` to be a key of the service, or the environment variable OPENAI_API_KEY to hold one, got neither.",
  );
}

/** Rewrites an error body to the one shape that the client reads: `{ error: … }`. */
async function withErrorObject(response: Response): Promise<Response> {
  const { status, headers } = response;
  if (needsNoBody(status)) {
    response.body?.cancel().catch(() => {});
    return new Response(null, { status, headers });
  }
  const text = await response.text().catch(() => "");
  const body = parseJson(text) ?? text;
  const inner = read(body, "error");
  const error = typeof inner === "object" && inner !== null ? inner : body;
  return new Response(JSON.stringify({ error }), { status, headers });
}

/**
 * A `fetch` for the client: no redirects, bodies up to 4 MiB, and every failure status carries an
 * error object.
 */
function createClientFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  const bounded = limitFetch(fetch);
  return async (input, init) => {
    const response = await bounded(input, init);
    // The opaque redirect of a browser has status 0 and no body; a `Response` with it cannot be
    // built.
    return response.ok || response.status === 0 ? response : withErrorObject(response);
  };
}

/** Overrides the ids of the environment, which belong to OpenAI's own service. */
const foreignIdentity = { organization: null, project: null };

async function createClient(
  options: ConnectionOptions,
  apiKey: string | null,
): Promise<OpenAIClient> {
  const { OpenAI } = await loadPackage("openaiJudge", [openaiPackage], () => import("openai"));
  try {
    return new OpenAI({
      baseURL: options.baseURL,
      apiKey: apiKey ?? "none",
      // Overrides the header from the environment; `null` leaves it out.
      defaultHeaders: { authorization: apiKey === null ? null : `Bearer ${apiKey}` },
      ...(isOfficial(options.baseURL) ? {} : foreignIdentity),
      adminAPIKey: null,
      maxRetries: 0,
      logLevel: "off",
      fetch: createClientFetch((...request) => globalThis.fetch(...request)),
    });
  } catch {
    throw new ToolSieveError("The `openai` client could not be created.");
  }
}

/** Turns retries and logs of the caller's client off; its own `fetch` and headers stay. */
function adopt(client: OpenAIClient): OpenAIClient {
  const fetch = read(client, "fetch");
  if (typeof client.withOptions !== "function") return client;
  return client.withOptions({
    maxRetries: 0,
    logLevel: "off",
    ...(typeof fetch === "function"
      ? { fetch: createClientFetch((...request) => fetch.apply(undefined, request)) }
      : {}),
  });
}

/**
 * Connects to a service. The package is loaded in the background; without it, every request says
 * what to install.
 *
 * @throws {InvalidOptionsError} if the service is OpenAI's own and there is no key.
 */
export function connect(options: ConnectionOptions): Send {
  const loading =
    options.client === undefined
      ? createClient(options, resolveKey(options))
      : Promise.resolve(adopt(options.client));
  loading.catch((error: ToolSieveError) => warn(options.logger, error.message));

  return async (path, body, signal) => {
    signal.throwIfAborted();
    const client = await untilAborted(loading, signal);
    const settings = { signal, maxRetries: 0, fetchOptions: { redirect: "manual" } };
    const call = async (): Promise<unknown> => {
      if (path === "/chat/completions") return client.chat.completions.create(body, settings);
      if (client.post !== undefined) return client.post(path, { body, ...settings });
      throw new ToolSieveError("The client has no `post`, which the Decisions endpoint needs.");
    };
    try {
      return await untilAborted(call(), signal);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw ToolSieveError.isInstance(error) ? error : toJudgeError(error);
    }
  };
}
