/** The `openai` client as the judge needs it: loaded lazily, without its own retries, logs and redirects, replies bounded. */

import { InvalidOptionsError, JudgeResponseError, ToolSieveError } from "../errors.js";
import { untilAborted } from "./abort.js";
import { maxBodyBytes } from "./http.js";
import { toJudgeError } from "./openai-errors.js";

/** The part of a client of the `openai` package (6.x or 7.x) that the judge uses. */
export interface OpenAIClient {
  readonly chat: {
    readonly completions: { create(body: object, options?: object): PromiseLike<unknown> };
  };
  post?(path: string, options?: object): PromiseLike<unknown>;
  withOptions?(options: object): OpenAIClient;
}

export interface ConnectionOptions {
  readonly client?: OpenAIClient | undefined;
  readonly baseURL: string;
  readonly apiKey?: string | undefined;
}

/** One request of the judge; rejects with errors of this package, or with the signal's reason at once. */
export type Send = (
  path: "/chat/completions" | "/decisions",
  body: object,
  signal: AbortSignal,
) => Promise<unknown>;

export const officialBaseURL = "https://api.openai.com/v1";

/** True for the service that `OPENAI_API_KEY` belongs to, its regional hosts included. */
function isOfficial(baseURL: string): boolean {
  const { protocol, hostname } = new URL(baseURL);
  return protocol === "https:" && /^(?:[\w-]+\.)?api\.openai\.com$/.test(hostname);
}

/** The key to send; `null`: none. A key from the environment goes to the service that it belongs to, and to no other. */
function keyFor(options: ConnectionOptions): string | null {
  if (options.apiKey !== undefined) return options.apiKey;
  if (!isOfficial(options.baseURL)) return null;
  const key = globalThis.process?.env?.["OPENAI_API_KEY"];
  if (key !== undefined && key !== "") return key;
  throw new InvalidOptionsError(
    "Expected `apiKey` to be a key of the service, or the environment variable OPENAI_API_KEY to hold one, got neither.",
  );
}

/** An error body in the one shape that the client reads: `{ error: … }`. */
async function withErrorObject(response: Response): Promise<Response> {
  const { status, headers } = response;
  const body: unknown = await response.json().catch(() => null);
  const isObject = typeof body === "object" && body !== null;
  const inner: unknown = isObject ? Reflect.get(body, "error") : null;
  const error = typeof inner === "object" && inner !== null ? inner : body;
  return new Response(JSON.stringify({ error }), { status, headers });
}

/** Passes a reply on up to 4 MiB; a longer one fails while it is read. */
function bounded(response: Response): Response {
  if (response.body === null) return response;
  let size = 0;
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.byteLength;
        if (size <= maxBodyBytes) controller.enqueue(chunk);
        else {
          controller.error(
            new JudgeResponseError("The judge's reply is over 4 MiB.", { reason: "too-large" }),
          );
        }
      },
    }),
  );
  return new Response(body, { status: response.status, headers: response.headers });
}

/** A `fetch` for the client: replies are bounded, and every failure status carries an error object. */
function guardedFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    // Opaque redirects (status 0) cannot be rebuilt, and hold nothing.
    if (response.status < 200) return response;
    return response.ok ? bounded(response) : withErrorObject(bounded(response));
  };
}

async function createClient(
  options: ConnectionOptions,
  apiKey: string | null,
): Promise<OpenAIClient> {
  const { OpenAI } = await import("openai").catch((error: unknown) => {
    throw new ToolSieveError(
      "openaiJudge needs the package `openai` (6.41 or later): npm install openai",
      { cause: error },
    );
  });
  const isForeign = !isOfficial(options.baseURL);
  try {
    return new OpenAI({
      baseURL: options.baseURL,
      apiKey: apiKey ?? "none",
      // Stands above every other source of the header, the environment included; `null` leaves it out.
      defaultHeaders: { authorization: apiKey === null ? null : `Bearer ${apiKey}` },
      ...(isForeign ? { organization: null, project: null } : {}),
      adminAPIKey: null,
      maxRetries: 0,
      logLevel: "off",
      fetch: guardedFetch((...request) => globalThis.fetch(...request)),
    });
  } catch {
    throw new ToolSieveError("The `openai` client could not be created.");
  }
}

/** The caller's client, with its retries and logs off; its own `fetch` and headers stay. */
function adopt(client: OpenAIClient): OpenAIClient {
  const fetch: unknown = Reflect.get(client, "fetch");
  if (typeof client.withOptions !== "function") return client;
  return client.withOptions({
    maxRetries: 0,
    logLevel: "off",
    ...(typeof fetch === "function"
      ? { fetch: guardedFetch((...request) => fetch.apply(undefined, request)) }
      : {}),
  });
}

/**
 * Connects lazily: the package is loaded with the first request.
 *
 * @throws {InvalidOptionsError} if the service is OpenAI's own and there is no key.
 */
export function connect(options: ConnectionOptions): Send {
  const own = options.client === undefined ? null : adopt(options.client);
  const key = own === null ? keyFor(options) : null;
  let loading: Promise<OpenAIClient> | undefined;
  const load = async (): Promise<OpenAIClient> => own ?? (loading ??= createClient(options, key));

  return async (path, body, signal) => {
    signal.throwIfAborted();
    const client = await load();
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
