import { describe, expect, it } from "vitest";
import { JudgeHttpError } from "../../src/errors.js";
import type { JudgeResponse } from "../../src/core/types.js";
import {
  askInParts,
  estimateTokens,
  mergeResponses,
  toPromptConversation,
} from "../../src/judges/request-parts.js";

describe("toPromptConversation", () => {
  it("carries request and messages as data, in a fixed order, without invisible characters", () => {
    const conversation = toPromptConversation({
      messages: [{ text: "He\u200bllo", role: "user" }],
      request: "Where\u202e is it?",
    });
    expect(JSON.stringify(conversation)).toBe(
      '{"request":"Where is it?","recent":[{"role":"user","text":"Hello"}]}',
    );
  });
});

describe("estimateTokens", () => {
  it.each<[string, number]>([
    ["", 0],
    ["abc", 1],
    ["abcdef", 2],
    ["查天气", 3],
    ["ab查", 2],
  ])("guesses %j", (text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });
});

describe("mergeResponses", () => {
  const part = (response: Partial<JudgeResponse>): JudgeResponse => ({
    probabilities: [0.5],
    ...response,
  });

  it("keeps answers in order and sums what can be summed", () => {
    expect(
      mergeResponses([
        part({
          probabilities: [0.1, null],
          model: "m",
          requestId: "r1",
          usage: { inputTokens: 10, outputTokens: 1, cachedInputTokens: 4 },
        }),
        part({
          probabilities: [undefined],
          requestId: "r2",
          missing: "refused",
          requests: 2,
          retries: 1,
          usage: { inputTokens: 5, outputTokens: 2 },
        }),
      ]),
    ).toEqual({
      probabilities: [0.1, null, undefined],
      model: "m",
      requestId: "r1",
      requests: 3,
      retries: 1,
      usage: { inputTokens: 15, outputTokens: 3, cachedInputTokens: 4 },
      missing: "refused",
    });
  });

  it("does not know the usage if one part does not", () => {
    const merged = mergeResponses([
      part({ usage: { inputTokens: 10, outputTokens: 1 } }),
      part({}),
    ]);
    expect(merged.usage).toBeUndefined();
  });

  it("takes an answer that cost no request for free", () => {
    const usage = { inputTokens: 10, outputTokens: 1 };
    const merged = mergeResponses([part({ requests: 0, cached: true }), part({ usage })]);
    expect(merged).toMatchObject({ requests: 1, usage });
    expect(merged.cached).toBeUndefined();
  });

  it("is cached where every part is", () => {
    const hit = part({ requests: 0, cached: true });
    expect(mergeResponses([hit, hit])).toMatchObject({ requests: 0, cached: true });
  });

  it("calls mixed reasons malformed", () => {
    const merged = mergeResponses([part({ missing: "refused" }), part({ missing: "malformed" })]);
    expect(merged.missing).toBe("malformed");
  });
});

describe("askInParts", () => {
  const tooLarge = new JudgeHttpError("x", { status: 400, code: "max_tokens_exceeded" });

  /** A service that takes at most `limit` items. */
  function service(limit: number) {
    const asked: number[] = [];
    return {
      asked,
      ask: async (items: readonly number[]): Promise<JudgeResponse> => {
        asked.push(items.length);
        if (items.length > limit) throw tooLarge;
        return { probabilities: items };
      },
    };
  }
  const items = Array.from({ length: 16 }, (_, index) => index / 16);

  it("halves what the service calls too large, and counts every request", async () => {
    const { ask, asked } = service(5);
    const response = await askInParts([items], ask);
    expect(response.probabilities).toEqual(items);
    expect(asked).toEqual([16, 8, 4, 4, 8, 4, 4]);
    expect(response.requests).toBe(7);
  });

  it("gives up after three halvings instead of asking about every item", async () => {
    const { ask, asked } = service(1);
    await expect(askInParts([items], ask)).rejects.toBe(tooLarge);
    expect(asked).toEqual([16, 8, 4, 2]);
  });

  it("does not split a single item, nor after another failure", async () => {
    const single = service(0);
    await expect(askInParts([[0.5]], single.ask)).rejects.toBe(tooLarge);
    expect(single.asked).toEqual([1]);

    const error = new JudgeHttpError("x", { status: 422 });
    let calls = 0;
    const failing = (): Promise<JudgeResponse> => {
      calls += 1;
      return Promise.reject(error);
    };
    await expect(askInParts([items, items], failing)).rejects.toBe(error);
    expect(calls).toBe(1);
  });

  it("counts in a failure every request that was made before it", async () => {
    const failing = async (asked: readonly number[]): Promise<JudgeResponse> => {
      if (asked.length > 8) throw new JudgeHttpError("x", { status: 413 });
      if (asked.includes(0)) return { probabilities: asked, requests: 2 };
      throw new JudgeHttpError("x", { status: 422 });
    };
    await expect(askInParts([items], failing)).rejects.toMatchObject({ status: 422, attempts: 4 });
    await expect(askInParts([[0], [0.5]], failing)).rejects.toMatchObject({ attempts: 3 });
  });

  it("answers nothing asked with no request", async () => {
    expect(await askInParts([], service(1).ask)).toEqual({
      probabilities: [],
      requests: 0,
      retries: 0,
    });
  });
});
