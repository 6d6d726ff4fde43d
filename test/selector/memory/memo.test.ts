import { describe, expect, it } from "vitest";
import type { Judge, JudgeRequest, JudgeResponse } from "../../../src/core/types.js";
import { createMemo } from "../../../src/selector/memory/memo.js";

const request = (text: string): JudgeRequest => ({
  context: { request: text, messages: [] },
  candidates: [{ name: "a" }, { name: "b" }],
});

interface HeldCall {
  readonly answer: (response: JudgeResponse) => void;
  readonly fail: () => void;
  readonly signal: AbortSignal;
}

/** A judge that answers when it is told to. */
function holdJudge(): { readonly calls: HeldCall[]; readonly judge: Judge } {
  const calls: HeldCall[] = [];
  const judge: Judge = {
    id: "held",
    judge: (_request, { signal }) =>
      new Promise<JudgeResponse>((resolve, reject) => {
        calls.push({ answer: resolve, fail: () => reject(new Error("down")), signal });
      }),
  };
  return { calls, judge };
}

const cancellable = () => {
  const controller = new AbortController();
  return { controller, signal: controller.signal };
};
const answer: JudgeResponse = { probabilities: [0.9, 0.1] };

describe("createMemo", () => {
  it("asks once for identical turns of a run, one after the other", async () => {
    const { judge, calls } = holdJudge();
    const ask = createMemo().bind(judge, "t/r");
    const first = ask(request("x"), cancellable());
    calls[0]?.answer(answer);
    expect(await first).toEqual(answer);
    const second = await ask(request("x"), cancellable());
    expect(second).toEqual({ ...answer, requests: 0, cached: true });
    expect(calls).toHaveLength(1);
  });

  it("asks once for identical turns at the same time; an abort of one leaves the other's call alone", async () => {
    const { judge, calls } = holdJudge();
    const ask = createMemo().bind(judge, "t/r");
    const one = cancellable();
    const first = ask(request("x"), one);
    const second = ask(request("x"), cancellable());
    one.controller.abort(new Error("left"));
    await expect(first).rejects.toThrow("left");
    expect(calls[0]?.signal.aborted).toBe(false);
    calls[0]?.answer(answer);
    expect(await second).toMatchObject({ probabilities: [0.9, 0.1] });
    expect(calls).toHaveLength(1);
  });

  it("aborts the call when all have left", async () => {
    const { judge, calls } = holdJudge();
    const one = cancellable();
    const asked = createMemo().bind(judge, "t/r")(request("x"), one);
    one.controller.abort(new Error("left"));
    await expect(asked).rejects.toThrow("left");
    expect(calls[0]?.signal.aborted).toBe(true);
  });

  it("does not remember failures, nor answers with a gap", async () => {
    const { judge, calls } = holdJudge();
    const ask = createMemo().bind(judge, "t/r");
    const first = ask(request("x"), cancellable());
    calls[0]?.fail();
    await expect(first).rejects.toThrow("down");
    const second = ask(request("x"), cancellable());
    calls[1]?.answer({ probabilities: [0.9, undefined] });
    await second;
    const third = ask(request("x"), cancellable());
    calls[2]?.answer(answer);
    expect(await third).toEqual(answer);
  });

  it("shares nothing between runs, between contexts, or without a run", async () => {
    const { judge, calls } = holdJudge();
    const memo = createMemo();
    const asked = [
      memo.bind(judge, "t/r")(request("x"), cancellable()),
      memo.bind(judge, "t/r2")(request("x"), cancellable()),
      memo.bind(judge, "t/r")(request("y"), cancellable()),
      memo.bind(judge, null)(request("x"), cancellable()),
      memo.bind(judge, null)(request("x"), cancellable()),
    ];
    for (const call of calls) call.answer(answer);
    await Promise.all(asked);
    expect(calls).toHaveLength(5);
  });
});
