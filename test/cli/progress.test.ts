import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { createProgress, describeProgress } from "../../src/cli/progress.js";

function fixture(isTTY: boolean) {
  const stream = Object.assign(new PassThrough(), { isTTY });
  let clock = 0;
  const progress = createProgress(stream as unknown as NodeJS.WriteStream, () => clock);
  return {
    progress,
    tell: (ms: number, text: string) => {
      clock = ms;
      progress.update(text);
    },
    written: () => String(stream.read() ?? ""),
  };
}

it("rewrites one line on a terminal, from the first second on, and clears it", () => {
  const { progress, tell, written } = fixture(true);
  tell(500, "a");
  expect(written()).toBe("");
  tell(1000, "b");
  tell(1100, "c");
  tell(1200, "d");
  progress.done();
  expect(written()).toBe("\r\u001B[Kb\r\u001B[Kd\r\u001B[K");
});

it("writes a line every ten seconds elsewhere", () => {
  const { progress, tell, written } = fixture(false);
  for (const second of [1, 9, 10, 15, 20, 31]) tell(second * 1000, `${second} s`);
  progress.done();
  expect(written()).toBe("10 s\n20 s\n31 s\n");
});

it("says nothing of a short read", () => {
  const { progress, written } = fixture(true);
  progress.done();
  expect(written()).toBe("");
});

it("says how much was read", () => {
  expect(describeProgress(120_000, 512_345_678)).toBe("120,000 records, 512 MB");
});
