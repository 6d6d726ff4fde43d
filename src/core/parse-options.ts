/**
 * Parses the options of a factory once, and words every failure alike: option, expectation, value.
 */

import * as z from "zod";
import { InvalidOptionsError } from "../errors.js";

/** Options whose value is never shown; a URL can carry a password. */
const secret = /key|token|secret|password|connection|authorization|url/i;

function show(value: unknown, path: string): string {
  const type = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  if (value === undefined) return "`undefined`";
  if (secret.test(path)) return `a value of type ${type}`;
  if (typeof value === "string") return `\`${JSON.stringify(value.slice(0, 60))}\` (string)`;
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") {
    return `\`${value}\` (${type})`;
  }
  return type === "null" ? "`null`" : `a value of type ${type}`;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined,
    input,
  );
}

function explain(issue: z.core.$ZodIssue, input: unknown, owner: string): string {
  if (issue.code === "invalid_union") {
    const branch = issue.errors.at(-1) ?? [];
    return branch
      .map((inner) => explain({ ...inner, path: [...issue.path, ...inner.path] }, input, owner))
      .join(" ");
  }
  if (issue.code === "unrecognized_keys") {
    const names = issue.keys
      .map((key) => `\`${[...issue.path, key].map(String).join(".")}\``)
      .join(", ");
    return `${owner} has no option ${names}.`;
  }
  const path = issue.path.map(String).join(".");
  const name = path === "" ? `the options of ${owner}` : `\`${path}\``;
  const expectation =
    issue.code === "invalid_type" && issue.message.startsWith("Invalid input: expected object")
      ? "an object"
      : issue.message;
  return `Expected ${name} to be ${expectation}, got ${show(valueAt(input, issue.path), path)}.`;
}

/**
 * Parses `input`, so that nothing behind it needs a default or a check. Field schemas carry their
 * expectation as the error message (`z.int("an integer from 1")`), which becomes ``Expected
 * `maxTools` to be an integer from 1, got `0` (number).``
 *
 * @throws {InvalidOptionsError} with one sentence for each option that is wrong.
 */
export function parseOptions<S extends z.ZodType>(
  schema: S,
  input: unknown,
  owner: string,
): z.output<S> {
  const parsed = schema.safeParse(input ?? {});
  if (parsed.success) return parsed.data;
  throw new InvalidOptionsError(
    parsed.error.issues.map((issue) => explain(issue, input, owner)).join(" "),
  );
}

/** An integer option of at least `minimum`. */
export const integerFrom = (minimum: number): z.ZodNumber => {
  const expectation = `an integer from ${minimum}`;
  return z.number(expectation).int(expectation).min(minimum, expectation);
};

/** A number option between two bounds, both included. */
export const numberBetween = (minimum: number, maximum: number): z.ZodNumber => {
  const expectation = `a number from ${minimum} to ${maximum}`;
  return z.number(expectation).min(minimum, expectation).max(maximum, expectation);
};

/** An option that is a function; its signature is the caller's word. */
export const functionOption = <F extends (...parameters: never[]) => unknown>(): z.ZodCustom<
  F,
  F
> => z.custom<F>((value) => typeof value === "function", "a function");

/** An option that is on or off. */
export const booleanOption = (): z.ZodBoolean => z.boolean("true or false");

/** An option that is a text, such as a name or an id. */
export const textOption = (): z.ZodString =>
  z.string("a string").min(1, "a string that is not empty");
