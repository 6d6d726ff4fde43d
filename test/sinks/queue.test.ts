import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ToolSieveError } from "../../src/errors.js";
import { createQueue } from "../../src/sinks/queue.js";

type Options = Parameters<typeof createQueue<string>>[0];

/** A queue whose deliveries are held back until the test answers them, in order. */
function heldQueue(overrides: Partial<Options> = {}) {
  const deliveries: {
    readonly items: readonly string[];
    readonly answer: (errors?: readonly (ToolSieveError | null)[]) => void;
    readonly refuse: (reason: unknown) => void;
  }[] = [];
  const queue = createQueue<string>({
    name: "testSink",
    maxQueuedBytes: 100,
    closeTimeoutMs: 1000,
    maxBatch: { items: 10, bytes: 100 },
    retry: { initialMs: 100, maxMs: 400 },
    deliver: (items) =>
      new Promise((resolve, reject) => {
        deliveries.push({ items, answer: (errors = []) => resolve(errors), refuse: reject });
      }),
    ...overrides,
  });
  return { queue, deliveries };
}

const settle = () => vi.advanceTimersByTimeAsync(0);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("createQueue", () => {
  it("delivers what arrives during a delivery as the next batch, in order", async () => {
    const { queue, deliveries } = heldQueue();
    void queue.push("a", 1);
    await settle();
    void queue.push("b", 1);
    void queue.push("c", 1);
    await settle();
    expect(deliveries.map(({ items }) => items)).toEqual([["a"]]);
    deliveries[0]?.answer();
    await settle();
    expect(deliveries.map(({ items }) => items)).toEqual([["a"], ["b", "c"]]);
    expect(queue.stats()).toEqual({ written: 1, dropped: 0, failed: 0, queued: 2 });
  });

  it("does no work before the writer's own code has run on", () => {
    const { queue, deliveries } = heldQueue();
    void queue.push("a", 1);
    expect(deliveries).toEqual([]);
  });

  it("limits a batch by items and by bytes, and still sends an item larger than a batch", async () => {
    const { queue, deliveries } = heldQueue({ maxBatch: { items: 2, bytes: 10 } });
    for (const [item, bytes] of [
      ["a", 1],
      ["b", 1],
      ["c", 1],
      ["d", 11],
      ["e", 5],
      ["f", 6],
    ] as const) {
      void queue.push(item, bytes);
    }
    for (let index = 0; index < 5; index += 1) {
      await settle();
      deliveries[index]?.answer();
    }
    await settle();
    expect(deliveries.map(({ items }) => items)).toEqual([["a", "b"], ["c"], ["d"], ["e"], ["f"]]);
  });

  it("drops what does not fit, counts it and rejects its write, and takes more once there is room", async () => {
    const { queue, deliveries } = heldQueue();
    void queue.push("a", 60);
    const dropped = queue.push("b", 41);
    void queue.push("c", 40);
    await expect(dropped).rejects.toThrow(
      "testSink: a record was dropped, because the queue is full.",
    );
    await settle();
    deliveries[0]?.answer();
    await settle();
    void queue.push("d", 100);
    await settle();
    expect(deliveries.map(({ items }) => items)).toEqual([["a", "c"], ["d"]]);
    expect(queue.stats()).toMatchObject({ written: 2, dropped: 1 });
  });

  it("settles each write by what became of it", async () => {
    const { queue, deliveries } = heldQueue();
    const [first, second] = [queue.push("a", 1), queue.push("b", 1)];
    await settle();
    deliveries[0]?.answer([null, new ToolSieveError("refused")]);
    await expect(first).resolves.toBeUndefined();
    await expect(second).rejects.toThrow("refused");
    expect(queue.stats()).toEqual({ written: 1, dropped: 0, failed: 1, queued: 0 });
  });

  it("repeats a rejected delivery with the same items first, in pauses that double up to the limit", async () => {
    const { queue, deliveries } = heldQueue();
    void queue.push("a", 1);
    await settle();
    void queue.push("b", 1);
    const pauses: number[] = [];
    for (const expected of [100, 200, 400, 400]) {
      const attempt = deliveries.length;
      deliveries.at(-1)?.refuse(new Error("down"));
      await vi.advanceTimersByTimeAsync(expected - 1);
      expect(deliveries).toHaveLength(attempt);
      await vi.advanceTimersByTimeAsync(1);
      expect(deliveries).toHaveLength(attempt + 1);
      pauses.push(expected);
    }
    expect(deliveries.at(-1)?.items).toEqual(["a", "b"]);
    deliveries.at(-1)?.answer();
    await settle();
    expect(queue.stats()).toEqual({ written: 2, dropped: 0, failed: 0, queued: 0 });
  });

  it("begins with the first pause again after a delivery", async () => {
    const { queue, deliveries } = heldQueue({ maxBatch: { items: 1, bytes: 100 } });
    void queue.push("a", 1);
    void queue.push("b", 1);
    await settle();
    deliveries[0]?.refuse(new Error("down"));
    await vi.advanceTimersByTimeAsync(100);
    deliveries[1]?.answer();
    await settle();
    deliveries[2]?.refuse(new Error("down"));
    await vi.advanceTimersByTimeAsync(100);
    expect(deliveries.map(({ items }) => items)).toEqual([["a"], ["a"], ["b"], ["b"]]);
  });

  it("flush tries at once instead of sitting out a pause, and waits for what was queued then, not for more", async () => {
    const { queue, deliveries } = heldQueue({ maxBatch: { items: 1, bytes: 100 } });
    void queue.push("a", 1);
    await settle();
    deliveries[0]?.refuse(new Error("down"));
    await settle();
    let isFlushed = false;
    const flushed = queue.flush().then(() => {
      isFlushed = true;
    });
    void queue.push("b", 1);
    await settle();
    expect(deliveries).toHaveLength(2);
    expect(isFlushed).toBe(false);
    deliveries[1]?.answer();
    await flushed;
    expect(queue.stats()).toMatchObject({ written: 1, queued: 1 });
  });

  it("flush settles also for what was lost", async () => {
    const { queue, deliveries } = heldQueue();
    void queue.push("a", 1);
    const flushed = queue.flush();
    await settle();
    deliveries[0]?.answer([new ToolSieveError("refused")]);
    await expect(flushed).resolves.toBeUndefined();
  });

  it("close waits for what is queued and takes nothing more", async () => {
    const { queue, deliveries } = heldQueue();
    void queue.push("a", 1);
    const closed = queue.close();
    await expect(queue.push("b", 1)).rejects.toThrow("the sink is closed");
    deliveries[0]?.answer();
    await closed;
    expect(queue.stats()).toEqual({ written: 1, dropped: 1, failed: 0, queued: 0 });
  });

  it("close gives up after its timeout, drops and counts what is left, and counts nothing twice", async () => {
    const { queue, deliveries } = heldQueue();
    const written = queue.push("a", 1);
    await settle();
    const closed = queue.close();
    await vi.advanceTimersByTimeAsync(999);
    expect(queue.stats().queued).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    await closed;
    await expect(written).rejects.toThrow("the sink closed before it was written");
    deliveries[0]?.answer();
    await settle();
    expect(queue.stats()).toEqual({ written: 0, dropped: 1, failed: 0, queued: 0 });
  });

  it("stops retrying once it is closed", async () => {
    const { queue, deliveries } = heldQueue();
    void queue.push("a", 1);
    await settle();
    deliveries[0]?.refuse(new Error("down"));
    const closed = queue.close();
    await settle();
    deliveries[1]?.refuse(new Error("down"));
    await vi.advanceTimersByTimeAsync(100);
    await vi.advanceTimersByTimeAsync(1000);
    await closed;
    const attempts = deliveries.length;
    deliveries.at(-1)?.refuse(new Error("down"));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(deliveries).toHaveLength(attempts);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("warns once of each kind of failure and tells onError of every one", async () => {
    const warn = vi.fn<(message: string) => void>();
    const onError = vi.fn<(error: ToolSieveError) => void>();
    const { queue, deliveries } = heldQueue({ logger: { warn }, onError });
    void queue.push("a", 60);
    void queue.push("b", 60);
    void queue.push("c", 60);
    await settle();
    deliveries[0]?.refuse(new Error("down"));
    await vi.advanceTimersByTimeAsync(100);
    deliveries[1]?.refuse(new Error("down"));
    await vi.advanceTimersByTimeAsync(200);
    deliveries[2]?.answer([new ToolSieveError("refused")]);
    await settle();
    expect(onError.mock.calls.map(([error]) => error.message)).toEqual([
      "testSink: a record was dropped, because the queue is full.",
      "testSink: a record was dropped, because the queue is full.",
      "testSink: a delivery failed.",
      "testSink: a delivery failed.",
      "refused",
    ]);
    expect(warn).toHaveBeenCalledTimes(3);
  });

  it("loses nothing when onError and the logger throw", async () => {
    const fail = () => {
      throw new Error("observer");
    };
    const { queue, deliveries } = heldQueue({ logger: { warn: fail }, onError: fail });
    const written = queue.push("a", 1);
    await settle();
    deliveries[0]?.refuse(new Error("down"));
    await vi.advanceTimersByTimeAsync(100);
    deliveries[1]?.answer();
    await expect(written).resolves.toBeUndefined();
  });

  it("accounts for every item exactly once, whatever the deliveries do", async () => {
    vi.useRealTimers();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 40 }),
        fc.infiniteStream(fc.constantFrom("written", "failed", "retried")),
        async (sizes, fates) => {
          const queue = createQueue<number>({
            name: "testSink",
            maxQueuedBytes: 300,
            closeTimeoutMs: 10_000,
            maxBatch: { items: 3, bytes: 50 },
            retry: { initialMs: 0, maxMs: 0 },
            deliver: async (items) => {
              const fate = fates.next().value;
              if (fate === "retried") throw new Error("down");
              return items.map(() => (fate === "failed" ? new ToolSieveError("refused") : null));
            },
          });
          const outcomes = await Promise.allSettled(
            sizes.map((size, index) => queue.push(index, size)),
          );
          await queue.close();
          const { written, dropped, failed, queued } = queue.stats();
          expect(written + dropped + failed).toBe(sizes.length);
          expect(queued).toBe(0);
          expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(written);
        },
      ),
      { numRuns: 50 },
    );
  });
});
