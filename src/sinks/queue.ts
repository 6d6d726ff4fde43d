/**
 * A bounded queue between a turn and a slow destination; it delivers in the background and counts
 * losses.
 */

import { functionOption, integerFrom } from "../core/parse-options.js";
import { quietly } from "../core/quietly.js";
import { waitAtMost } from "../core/timers.js";
import type { Logger } from "../core/types.js";
import { createWarnOnce, loggerSchema } from "../core/warn-once.js";
import { ToolSieveError } from "../errors.js";

/** Counts of a sink's records, by their fate. */
export interface SinkStats {
  /** Delivered. */
  readonly written: number;
  /**
   * Not taken, because the queue was full or the sink closed; or still queued when `close` ran out
   * of time.
   */
  readonly dropped: number;
  /** Given up on: the disk or the server refused them. */
  readonly failed: number;
  /** Waiting. */
  readonly queued: number;
}

/** The options that every sink with a queue has. */
export const queueOptionFields = {
  /**
   * Bytes of records that may wait; a record that does not fit is dropped and counted.
   * @default 33_554_432
   */
  maxQueuedBytes: integerFrom(1).default(32 * 1024 * 1024),
  /**
   * How long `close` waits for what is queued, in milliseconds; the rest is dropped and counted.
   * @default 5000
   */
  closeTimeoutMs: integerFrom(0).default(5000),
  /**
   * Called with every record that is lost and every attempt that failed. Its errors are ignored.
   */
  onError: functionOption<(error: ToolSieveError) => void>().optional(),
  /** Is warned once of each kind of failure. */
  logger: loggerSchema.optional(),
};

interface QueueOptions<Item> {
  /** Names the sink in messages. */
  readonly name: string;
  readonly maxQueuedBytes: number;
  readonly closeTimeoutMs: number;
  readonly onError?: ((error: ToolSieveError) => void) | undefined;
  readonly logger?: Logger | undefined;
  /** Items and bytes that one delivery takes at most (one item at least). */
  readonly maxBatch: { readonly items: number; readonly bytes: number };
  /**
   * Resolves to one entry per item: `null` if it was delivered, else why it never will be. Rejects
   * to be asked again later, with the same items first.
   */
  readonly deliver: (items: readonly Item[]) => Promise<readonly (ToolSieveError | null)[]>;
  /** The first pause after a rejection, in milliseconds; it doubles up to `maxMs`. */
  readonly retry: { readonly initialMs: number; readonly maxMs: number };
}

/** See {@link createQueue}. */
export interface Queue<Item> {
  /**
   * Settles when the item was delivered or lost. May be ignored: its rejection never goes
   * unhandled.
   */
  readonly push: (item: Item, bytes: number) => Promise<void>;
  /** Settles when everything that is queued now was delivered or lost. */
  readonly flush: () => Promise<void>;
  /** Takes nothing more, waits for what is queued, and drops the rest after `closeTimeoutMs`. */
  readonly close: () => Promise<void>;
  readonly stats: () => SinkStats;
}

type Loss = "dropped" | "failed";

interface Entry<Item> {
  readonly item: Item;
  readonly bytes: number;
  readonly done: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: ToolSieveError) => void;
}

function createEntry<Item>(item: Item, bytes: number): Entry<Item> {
  let settle: Pick<Entry<Item>, "resolve" | "reject"> | undefined;
  const done = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return {
    item,
    bytes,
    done: ignorable(done),
    resolve: () => settle?.resolve(),
    reject: (error) => settle?.reject(error),
  };
}

/** Marks a rejection as handled, so that it does not end the process. */
function ignorable(promise: Promise<void>): Promise<void> {
  promise.catch(() => undefined);
  return promise;
}

/** Reports every failure to `onError`, and the first of each kind to the logger. */
function createReporter({ onError, logger }: Pick<QueueOptions<unknown>, "onError" | "logger">) {
  const warn = createWarnOnce(logger);
  return (kind: Loss | "retried", error: ToolSieveError): void => {
    quietly(() => onError?.(error));
    warn(kind, `${error.message} More of this kind is counted, not logged.`);
  };
}

/**
 * A pause that can be cut short, and that keeps the process alive only while someone waits for the
 * queue.
 */
function createPause() {
  let end: (() => void) | undefined;
  return {
    async wait(milliseconds: number, keepAlive: boolean): Promise<void> {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        if (!keepAlive) timer.unref();
        end = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      end = undefined;
    },
    end: () => end?.(),
  };
}

/**
 * One delivery at a time, in order. What arrives during a delivery forms the next batch, so batches
 * grow with the load and a quiet sink delivers at once.
 */
export function createQueue<Item>(options: QueueOptions<Item>): Queue<Item> {
  const report = createReporter(options);
  const pause = createPause();
  const counts = { written: 0, dropped: 0, failed: 0 };
  const entries: Entry<Item>[] = [];
  let queuedBytes = 0;
  let draining = false;
  let state: "open" | "closing" | "abandoned" = "open";
  let waiting = 0;

  const failure = (what: string, cause?: unknown): ToolSieveError =>
    new ToolSieveError(`${options.name}: ${what}`, cause === undefined ? undefined : { cause });

  function lose(kind: Loss, error: ToolSieveError): void {
    counts[kind] += 1;
    report(kind, error);
  }

  function remove(length: number): readonly Entry<Item>[] {
    const removed = entries.splice(0, length);
    for (const { bytes } of removed) queuedBytes -= bytes;
    return removed;
  }

  function batchLength(): number {
    let bytes = 0;
    const end = entries.findIndex((entry, index) => {
      bytes += entry.bytes;
      return index > 0 && (index >= options.maxBatch.items || bytes > options.maxBatch.bytes);
    });
    return end === -1 ? entries.length : end;
  }

  async function deliverHead(): Promise<void> {
    const length = batchLength();
    const errors = await options.deliver(entries.slice(0, length).map(({ item }) => item));
    remove(length).forEach((entry, index) => {
      const error = errors[index] ?? null;
      if (error === null) {
        counts.written += 1;
        entry.resolve();
      } else {
        lose("failed", error);
        entry.reject(error);
      }
    });
  }

  async function drain(): Promise<void> {
    // One tick later, so that the turn that wrote pays for nothing but the push.
    await Promise.resolve();
    let delayMs = options.retry.initialMs;
    while (entries.length > 0) {
      try {
        await deliverHead();
        delayMs = options.retry.initialMs;
      } catch (reason) {
        if (state === "abandoned") break;
        report(
          "retried",
          ToolSieveError.isInstance(reason) ? reason : failure("a delivery failed.", reason),
        );
        await pause.wait(delayMs, waiting > 0);
        delayMs = Math.min(2 * delayMs, options.retry.maxMs);
      }
    }
    draining = false;
  }

  async function flush(): Promise<void> {
    waiting += 1;
    pause.end();
    await Promise.allSettled(entries.map(({ done }) => done));
    waiting -= 1;
  }

  return {
    push(item, bytes) {
      if (state !== "open" || queuedBytes + bytes > options.maxQueuedBytes) {
        const why = state === "open" ? "the queue is full" : "the sink is closed";
        const error = failure(`a record was dropped, because ${why}.`);
        lose("dropped", error);
        return ignorable(Promise.reject(error));
      }
      const entry = createEntry(item, bytes);
      entries.push(entry);
      queuedBytes += bytes;
      if (!draining) {
        draining = true;
        void drain();
      }
      return entry.done;
    },
    flush,
    async close() {
      if (state === "open") state = "closing";
      await waitAtMost(options.closeTimeoutMs, flush(), () => undefined);
      state = "abandoned";
      pause.end();
      for (const entry of remove(entries.length)) {
        const error = failure(
          "a record was dropped, because the sink closed before it was written.",
        );
        lose("dropped", error);
        entry.reject(error);
      }
    },
    stats: () => ({ ...counts, queued: entries.length }),
  };
}
