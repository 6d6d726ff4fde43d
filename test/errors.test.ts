import { describe, expect, it } from "vitest";
import {
  InvalidOptionsError,
  JudgeHttpError,
  JudgeResponseError,
  JudgeTimeoutError,
  RecordFormatError,
  ToolSieveError,
} from "../src/index.js";

const errors = [
  [new InvalidOptionsError("x"), InvalidOptionsError],
  [new JudgeHttpError("x", { status: 500 }), JudgeHttpError],
  [new JudgeTimeoutError(5), JudgeTimeoutError],
  [new JudgeResponseError("x", { reason: "malformed" }), JudgeResponseError],
  [new RecordFormatError("x"), RecordFormatError],
] as const;

describe("errors", () => {
  it.each(errors)(
    "%s is recognised by its own class and the base, and by no other",
    (error, own) => {
      expect(ToolSieveError.isInstance(error)).toBe(true);
      expect(error).toBeInstanceOf(ToolSieveError);
      const recognising = errors.map(([, type]) => type).filter((type) => type.isInstance(error));
      expect(recognising).toEqual([own]);
      expect(error.name).toBe(own.name);
    },
  );

  it("are recognised across package copies, by a shared symbol", () => {
    const foreign = { [Symbol.for("toolsieve.error.JudgeTimeoutError")]: true };
    expect(JudgeTimeoutError.isInstance(foreign)).toBe(true);
  });

  it.each([null, undefined, "x", new Error("x"), {}])("%s is none of ours", (value) => {
    expect(ToolSieveError.isInstance(value)).toBe(false);
  });
});
