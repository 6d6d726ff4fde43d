import { describe, expect, it } from "vitest";
import type { Sink } from "../../src/core/types.js";
import { InvalidOptionsError, ToolSieveError } from "../../src/errors.js";
import { fanOut } from "../../src/sinks/fan-out.js";
import { memorySink } from "../../src/sinks/memory.js";
import { selectionRecord } from "../support/records.js";

const throwing: Sink = {
  write: () => {
    throw new Error("thrown");
  },
};
const rejecting: Sink = { write: () => Promise.reject(new Error("rejected")) };

describe("fanOut", () => {
  it("writes each record to every sink", async () => {
    const [first, second] = [memorySink(), memorySink()];
    await fanOut(first, second).write(selectionRecord({ id: "a" }));
    expect(first.records.map(({ id }) => id)).toEqual(["a"]);
    expect(second.records.map(({ id }) => id)).toEqual(["a"]);
  });

  it.each([
    ["throws", throwing, "thrown"],
    ["rejects", rejecting, "rejected"],
  ])(
    "writes to the sinks around one that %s, and then rejects with its error",
    async (_, bad, message) => {
      const [before, after] = [memorySink(), memorySink()];
      const error: unknown = await Promise.resolve(
        fanOut(before, bad, after).write(selectionRecord()),
      ).catch((reason: unknown) => reason);
      expect(ToolSieveError.isInstance(error)).toBe(true);
      expect(error).toMatchObject({ message: "1 of 3 sinks failed to write.", cause: { message } });
      expect(before.records).toHaveLength(1);
      expect(after.records).toHaveLength(1);
    },
  );

  it("names all errors when several sinks fail", async () => {
    await expect(fanOut(throwing, rejecting).write(selectionRecord())).rejects.toMatchObject({
      cause: { errors: [{ message: "thrown" }, { message: "rejected" }] },
    });
  });

  it("writes to the sinks behind one that never settles", () => {
    const after = memorySink();
    void fanOut({ write: () => new Promise(() => undefined) }, after).write(selectionRecord());
    expect(after.records).toHaveLength(1);
  });

  it("flushes and closes every sink that can be, also beside one that fails", async () => {
    const seen: string[] = [];
    const one: Sink = {
      write: () => undefined,
      flush: async () => void seen.push("flush"),
      close: async () => void seen.push("close"),
    };
    const bad: Sink = {
      write: () => undefined,
      flush: () => Promise.reject(new Error("flush")),
      close: () => Promise.reject(new Error("close")),
    };
    const sink = fanOut(memorySink(), bad, one);
    await expect(sink.flush()).rejects.toThrow("1 of 3 sinks failed to flush.");
    await expect(sink.close()).rejects.toThrow("1 of 3 sinks failed to close.");
    expect(seen).toEqual(["flush", "close"]);
  });

  it("does nothing without sinks", async () => {
    await expect(fanOut().write(selectionRecord())).resolves.toBeUndefined();
  });

  it.each([[null], [{}], [{ write: "no" }], [{ write: () => undefined, flush: 1 }]])(
    "refuses %j, which is not a sink",
    (value) => {
      // @ts-expect-error: what a caller without types may pass
      expect(() => fanOut(value)).toThrow(InvalidOptionsError);
    },
  );
});
