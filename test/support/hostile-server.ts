/** An HTTP server that plays scripted answers, well-behaved and hostile, and keeps what it was asked. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** One answer. Without any field: an empty 200. */
export interface Reply {
  /** @default 200 */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is, instead of `json`. */
  readonly text?: string;
  /** Sent as a body of so many bytes, in pieces, instead of `json`. */
  readonly bytes?: number;
  /** Waits before anything is sent. */
  readonly delayMs?: number;
  /** Never goes on: sends nothing at all, or the headers and half of the body. */
  readonly stall?: "before-headers" | "mid-body";
  /** Sends the body one byte at a time with this pause between two. */
  readonly dripMs?: number;
  /** Cuts the connection: before anything is sent, or after half of the body that `Content-Length` promised. */
  readonly reset?: "before-headers" | "mid-body";
}

/** A request as the server saw it. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Parsed, if it is JSON; else its text. */
  readonly body: unknown;
  readonly rawBody: string;
  /** The client hung up before it had the whole answer. */
  hungUp: boolean;
}

/** A reply, or a function of the request and its number, from 1. */
export type Answer = Reply | ((request: RecordedRequest, call: number) => Reply | Promise<Reply>);

export interface HostileServer {
  /** Without a slash at the end: `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  /** Connections open now, idle ones included. */
  readonly openSockets: number;
  /** The most requests that were being answered at one time. */
  readonly peakConcurrency: number;
  /** Sets the script: one answer per request, in order; the last one is repeated. Clears `requests`. */
  play(...script: readonly Answer[]): void;
  /** Waits until `condition` holds; fails after `timeoutMs` (2,000). */
  until(condition: () => boolean, timeoutMs?: number): Promise<void>;
  close(): Promise<void>;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function* pieces(total: number): Generator<Buffer> {
  const piece = Buffer.alloc(64 * 1024, "x");
  for (let sent = 0; sent < total; sent += piece.length) {
    yield piece.subarray(0, Math.min(piece.length, total - sent));
  }
}

async function send(response: ServerResponse, reply: Reply): Promise<void> {
  if (reply.delayMs !== undefined) await sleep(reply.delayMs);
  if (reply.stall === "before-headers" || response.destroyed) return;
  if (reply.reset === "before-headers") return void response.socket?.resetAndDestroy();

  const body = reply.text ?? (reply.json === undefined ? "" : JSON.stringify(reply.json));
  response.writeHead(reply.status ?? 200, {
    ...(reply.text === undefined ? { "content-type": "application/json" } : {}),
    ...(reply.bytes === undefined ? { "content-length": Buffer.byteLength(body) } : {}),
    ...reply.headers,
  });
  if (reply.bytes !== undefined) return pipeline(Readable.from(pieces(reply.bytes)), response);
  if (reply.dripMs !== undefined) {
    for (const byte of Buffer.from(body)) {
      if (response.destroyed) return;
      response.write(Buffer.from([byte]));
      await sleep(reply.dripMs);
    }
  } else if (reply.stall === "mid-body" || reply.reset === "mid-body") {
    const half = Buffer.from(body).subarray(0, Math.ceil(Buffer.byteLength(body) / 2));
    await new Promise<void>((resolve) => response.write(half, () => resolve()));
    if (reply.reset === "mid-body") response.socket?.destroy();
    return;
  }
  response.end(reply.dripMs === undefined ? body : undefined);
}

/**
 * Starts a server on a free local port.
 *
 * With `serial: true` it answers one request after the other, as services do that queue the requests of one account.
 *
 * @example
 * const server = await createHostileServer();
 * server.play({ status: 429, headers: { "retry-after": "1" } }, { json: { answers: {} } });
 * // … call server.url, then: server.requests[0].body
 * await server.close();
 */
export async function createHostileServer(
  options: { readonly serial?: boolean } = {},
): Promise<HostileServer> {
  const requests: RecordedRequest[] = [];
  const sockets = new Set<Socket>();
  let script: readonly Answer[] = [{}];
  let queue: Promise<void> = Promise.resolve();
  let open = 0;
  let peak = 0;

  async function answer(request: RecordedRequest, response: ServerResponse): Promise<void> {
    const call = requests.length;
    const step = script[Math.min(call, script.length) - 1] ?? {};
    open += 1;
    peak = Math.max(peak, open);
    try {
      await send(response, typeof step === "function" ? await step(request, call) : step);
    } finally {
      open -= 1;
    }
  }

  const server = createServer((incoming, response) => {
    void (async () => {
      const rawBody = await readBody(incoming);
      const request: RecordedRequest = {
        method: incoming.method ?? "",
        path: incoming.url ?? "",
        headers: incoming.headers,
        body: parseBody(rawBody),
        rawBody,
        hungUp: false,
      };
      response.on("close", () => {
        request.hungUp = !response.writableFinished;
      });
      requests.push(request);
      const previous = queue;
      const work =
        options.serial === true
          ? previous.then(() => (response.destroyed ? undefined : answer(request, response)))
          : answer(request, response);
      queue = work.catch(() => {});
      await work;
    })().catch(() => incoming.socket.destroy());
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get openSockets() {
      return sockets.size;
    },
    get peakConcurrency() {
      return peak;
    },
    play(...answers) {
      script = answers;
      requests.length = 0;
      peak = 0;
    },
    async until(condition, timeoutMs = 2000) {
      const end = Date.now() + timeoutMs;
      while (!condition()) {
        if (Date.now() > end) throw new Error(`The condition did not hold within ${timeoutMs} ms.`);
        await sleep(5);
      }
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
