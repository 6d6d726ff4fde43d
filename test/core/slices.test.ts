import { afterEach, describe, expect, it, vi } from "vitest";
import { createSlices } from "../../src/core/slices.js";

function hold(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe("createSlices", () => {
  it("does not pause before a slice is used up", () => {
    expect(createSlices(new AbortController().signal).pause()).toBeUndefined();
  });

  it.each([
    ["setImmediate", []],
    ["MessageChannel", ["setImmediate"]],
    ["setTimeout", ["setImmediate", "MessageChannel"]],
  ])("lets other work run by %s", async (_, missing) => {
    for (const name of missing) vi.stubGlobal(name, undefined);
    const slices = createSlices(new AbortController().signal);
    const others = vi.fn<() => void>();
    setTimeout(others, 0);
    for (let round = 0; round < 200 && others.mock.calls.length === 0; round += 1) {
      hold(5);
      await slices.pause();
    }
    expect(others).toHaveBeenCalledOnce();
  });

  it("throws the signal's reason after a pause in which it was aborted", async () => {
    const controller = new AbortController();
    const slices = createSlices(controller.signal);
    hold(5);
    const pause = slices.pause();
    controller.abort(new Error("stopped"));
    await expect(pause).rejects.toThrow("stopped");
  });
});
