import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { untilAborted } from "../../src/core/abort.js";

const never = (): Promise<never> => new Promise(() => {});
const endOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );

describe("untilAborted", () => {
  it("settles as the work does", async () => {
    const { signal } = new AbortController();
    expect(await endOf(untilAborted(Promise.resolve(7), signal))).toEqual({ value: 7 });
    expect(await endOf(untilAborted(Promise.reject(new Error("no")), signal))).toMatchObject({
      error: { message: "no" },
    });
  });

  it("rejects everyone who waits with the signal's reason, before or during the wait", async () => {
    const controller = new AbortController();
    const waits = [1, 2].map(() => endOf(untilAborted(never(), controller.signal)));
    controller.abort("reason");
    waits.push(endOf(untilAborted(never(), controller.signal)));
    expect(await Promise.all(waits)).toEqual(waits.map(() => ({ error: "reason" })));
  });

  it("still rejects those who wait after others have left", async () => {
    const controller = new AbortController();
    const stays = endOf(untilAborted(never(), controller.signal));
    await untilAborted(Promise.resolve(), controller.signal);
    controller.abort("reason");
    expect(await stays).toEqual({ error: "reason" });
  });

  it("ignores what the work does after an abort", async () => {
    const controller = new AbortController();
    let fail: (error: Error) => void = () => {};
    const work = new Promise<never>((_, reject) => (fail = reject));
    const end = endOf(untilAborted(work, controller.signal));
    controller.abort("reason");
    fail(new Error("late"));
    expect(await end).toEqual({ error: "reason" });
  });

  it("takes one listener for any number of waits, and none afterwards", async () => {
    const { signal } = new AbortController();
    const finish: (() => void)[] = [];
    const waits = Array.from({ length: 50 }, () =>
      untilAborted(new Promise<void>((resolve) => finish.push(resolve)), signal),
    );
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    for (const end of finish.slice(1)) end();
    await Promise.all(waits.slice(1));
    const again = untilAborted(never(), signal);
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    void again.catch(() => {});
    finish[0]?.();
    await waits[0];
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
  });

  it("leaves no listener behind", async () => {
    const { signal } = new AbortController();
    await untilAborted(Promise.resolve(), signal);
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
    const other = new AbortController();
    const wait = endOf(untilAborted(never(), other.signal));
    other.abort();
    await wait;
    expect(getEventListeners(other.signal, "abort")).toHaveLength(0);
  });
});
