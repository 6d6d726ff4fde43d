import { describe, expect, it } from "vitest";
import { readStated } from "../../../src/judges/openai/stated.js";
import { textCompletion } from "./completions.js";

describe("stated probabilities", () => {
  it.each([
    ['{"answers":"1:0.03 2:0.97"}', [0.03, 0.97]],
    ['```json\n{"answers": "1:0 2:1"}\n```', [0, 1]],
    ['<think>hm</think>{"answers":"1:0.5 2:1.0"}', [0.5, 1]],
    ['{"answers":"1:1.01 2:0.2"}', [undefined, 0.2]],
    ['{"answers":"2:0.97 1:0.03"}', [0.03, 0.97]],
    ['{"answers":"1:0.03"}', [0.03, undefined]],
    ['{"answers":"1:0.03 2:0.97 3:0.5"}', [0.03, 0.97]],
    ['{"answers":"1:0.03 2:0.97 2:0.97"}', [0.03, undefined]],
    ['{"answers":"0:0.5 1:0.03 2:0.97"}', [0.03, 0.97]],
    ['{"answers":"1: 2:0.97"}', [undefined, 0.97]],
    ['{"answers":"1:3% 2:0.97"}', [undefined, 0.97]],
    ['{"answers":"11:0.5 2:0.97 tool1:0.5"}', [undefined, 0.97]],
  ])("reads %s", (content, expected) => {
    expect(readStated(textCompletion(content), 2)).toEqual(expected);
  });

  it.each([
    '{"answers":"1:97 2:-0.1"}',
    '{"answers":"0:0.03 1:0.97"}',
    '{"answers":"3:0.03 4:0.97"}',
    '{"answers":"1:0.03 1:0.03"}',
    '{"answers":"1:0,03 2:0,97"}',
    '{"answers":"1:3% 2:97%"}',
    '{"answers":"1N 2Y"}',
    '{"answers":"1:NaN 2:Infinity"}',
    '{"answers":"1:0x0 2:0e9"}',
    '{"answers":{"1":0.03,"2":0.97}}',
  ])("takes no answer from %s", (content) => {
    expect(() => readStated(textCompletion(content), 2)).toThrow(/answer/);
  });

  it.each([
    ["refused", { finish_reason: "content_filter" }],
    ["truncated", { finish_reason: "length" }],
  ])("is %s as any completion", (reason, over) => {
    const body = textCompletion('{"answers":"1:0.03"}', over);
    expect(() => readStated(body, 1)).toThrow(expect.objectContaining({ reason }));
  });
});
