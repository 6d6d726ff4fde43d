import { describe, expect, it } from "vitest";
import type { JudgeResponse } from "../../../src/core/types.js";
import { toJudge } from "../../../src/judges/judge.js";
import { checkResponse } from "../../../src/judges/wrappers/wrap-judge.js";
import { fakeJudge } from "../../../src/testing/fake-judge.js";

const request = {
  context: { request: "Where is it?", messages: [] },
  candidates: [{ name: "a" }, { name: "b" }],
};

describe("checkResponse", () => {
  it.each<[string, unknown, readonly unknown[]]>([
    ["valid answers", [0, 1], [0, 1]],
    ["abstentions", [null, 0.5], [null, 0.5]],
    ["a missing answer", [undefined, 0.5], [undefined, 0.5]],
    ["a hole", [, 0.5], [undefined, 0.5]], // oxlint-disable-line no-sparse-arrays
    ["answers out of range", [-0.01, 1.01], [undefined, undefined]],
    ["numbers that are none", [Number.NaN, Number.POSITIVE_INFINITY], [undefined, undefined]],
    ["textual answers", ["0.5", true], [undefined, undefined]],
    ["too few answers", [0.5], [undefined, undefined]],
    ["too many answers", [0.5, 0.5, 0.5], [undefined, undefined]],
    ["an array-like object", { length: 2, 0: 0, 1: 0 }, [undefined, undefined]],
    ["no answers", undefined, [undefined, undefined]],
  ])("reads %s", (_, probabilities, expected) => {
    const response = { probabilities, model: "m-1", requests: 2 } as JudgeResponse;
    expect(checkResponse(response, 2)).toEqual({
      probabilities: expected,
      model: "m-1",
      requests: 2,
    });
  });

  it.each([undefined, null, "ok", 7, []])("takes no answer from a reply of %j", (reply) => {
    const checked = checkResponse(reply as unknown as JudgeResponse, 2);
    expect(checked.probabilities).toEqual([undefined, undefined]);
  });

  it("leaves the reply itself as it is", () => {
    const response = Object.freeze({ probabilities: Object.freeze([2, 0.5]) });
    expect(checkResponse(response, 2).probabilities).toEqual([undefined, 0.5]);
  });
});

describe("toJudge", () => {
  it("checks the replies of any judge, once", async () => {
    const judge = toJudge(fakeJudge({ reply: () => ({ probabilities: [7, 0.5] }) }));
    const { probabilities } = await judge.judge(request, { signal: new AbortController().signal });
    expect(probabilities).toEqual([undefined, 0.5]);
    expect(toJudge(judge)).toBe(judge);
  });

  it("rejects as soon as the signal aborts, even if the judge ignores it", async () => {
    const controller = new AbortController();
    const call = toJudge(() => new Promise<never>(() => {})).judge(request, {
      signal: controller.signal,
    });
    controller.abort("left");
    await expect(call).rejects.toBe("left");
  });

  it("turns what a function throws at once into a rejection", async () => {
    const judge = toJudge(() => {
      throw new TypeError("x");
    });
    const call = judge.judge(request, { signal: new AbortController().signal });
    await expect(call).rejects.toBeInstanceOf(TypeError);
  });
});
