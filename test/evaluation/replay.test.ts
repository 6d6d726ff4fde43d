import { describe, expect, it } from "vitest";
import type { JudgeRequest } from "../../src/core/types.js";
import { ReplayMissError } from "../../src/errors.js";
import { parseRecording, recordingJudge, replayJudge } from "../../src/evaluation/replay.js";
import { fakeJudge } from "../../src/testing/fake-judge.js";

const request = (text: string): JudgeRequest => ({
  context: { request: text, messages: [{ role: "user", text }] },
  candidates: [{ name: "a", description: "secret tool" }, { name: "b" }, { name: "c" }],
});
const options = { signal: new AbortController().signal };

async function record(): Promise<{
  readonly text: string;
  readonly judge: ReturnType<typeof fakeJudge>;
}> {
  const judge = fakeJudge({
    id: "paid",
    batchSize: 32,
    scope: "catalog",
    maxTools: 12,
    thresholds: { confidence: 0.7, rejection: 0.1 },
    probabilities: { a: 0.9, b: null, c: 7 },
    response: { model: "m-1", requests: 2, usage: { inputTokens: 10, outputTokens: 2 } },
  });
  const lines: string[] = [];
  const recording = recordingJudge(judge, { write: (line) => void lines.push(line) });
  await recording.judge(request("one secret"), options);
  await recording.judge(request("two"), options);
  await recording.judge(request("two"), options);
  return { text: lines.join(""), judge };
}

describe("replayJudge", () => {
  it("answers what was recorded, with thresholds, batch size and usage, and asks nobody", async () => {
    const { text } = await record();
    const replay = replayJudge(parseRecording(text));
    expect(replay).toMatchObject({
      id: "paid",
      batchSize: 32,
      scope: "catalog",
      maxTools: 12,
      thresholds: { confidence: 0.7, rejection: 0.1 },
    });
    expect(await replay.judge(request("two"), options)).toEqual({
      probabilities: [0.9, null, undefined],
      model: "m-1",
      requests: 2,
      usage: { inputTokens: 10, outputTokens: 2 },
    });
  });

  it.each([
    { title: "another request", changed: request("three") },
    { title: "other tools", changed: { ...request("two"), candidates: [{ name: "a" }] } },
    {
      title: "another history",
      changed: { ...request("two"), context: { request: "two", messages: [] } },
    },
  ])("refuses $title", async ({ changed }) => {
    const { text } = await record();
    await expect(replayJudge(parseRecording(text)).judge(changed, options)).rejects.toThrow(
      ReplayMissError,
    );
  });
});

describe("recordingJudge", () => {
  it("asks once for the same request, and writes no text", async () => {
    const { text, judge } = await record();
    expect(judge.requests).toHaveLength(2);
    expect(text.trim().split("\n")).toHaveLength(3);
    expect(text).not.toContain("secret");
  });

  it("goes on where an interrupted run stopped, whatever byte it was cut at", async () => {
    const { text } = await record();
    const header = text.indexOf("\n");
    for (let end = header; end < text.length; end += 7) {
      const judge = fakeJudge({ id: "paid", otherwise: 0.5 });
      const lines: string[] = [];
      const recording = parseRecording(text.slice(0, end));
      const resumed = recordingJudge(judge, { recording, write: (line) => void lines.push(line) });
      await resumed.judge(request("one secret"), options);
      await resumed.judge(request("two"), options);
      expect(judge.requests).toHaveLength(lines.length);
      expect(recording.judgments.size + lines.length).toBe(2);
      expect(lines.join("")).not.toContain('"v":');
    }
  });

  it("does not write down a call that failed", async () => {
    const lines: string[] = [];
    const judge = recordingJudge(fakeJudge({ error: new Error("down") }), {
      write: (line) => void lines.push(line),
    });
    await expect(judge.judge(request("one"), options)).rejects.toThrow("down");
    expect(lines).toEqual([]);
  });

  it("refuses a recording of another judge", async () => {
    const recording = parseRecording((await record()).text);
    expect(() =>
      recordingJudge(fakeJudge({ id: "other" }), { recording, write: () => undefined }),
    ).toThrow("Expected a recording of the judge `other`, got one of `paid`.");
  });
});

it.each(["", "{}", "not json", '{"v":2,"judge":"x"}'])(
  "refuses a recording that begins with %j",
  (text) => {
    expect(() => parseRecording(text)).toThrow("Expected the first line of a recording");
  },
);
