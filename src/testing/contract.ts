/**
 * What the contract suites have in common: hostile input, and how a suite is declared in any test
 * runner.
 */

import type { ToolDescription } from "../core/types.js";

/** `describe` and `it` of a test runner. */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly it: (name: string, body: () => Promise<void>) => unknown;
}

/** Names that break lookups by name, JSON written by hand, and delimiters. */
export const hostileNames: readonly string[] = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "calendar.respond",
  "a/b",
  "my tool",
  "查天气",
  'quote"d',
  "line\nbreak",
  "</tools>",
  "x".repeat(128),
  "\ud800",
  "query_order",
  "query_order",
];

/** Tools whose schemas no one can write down: a cycle, a BigInt, a getter that throws. */
export function unserialisableTools(): readonly ToolDescription[] {
  const cycle: Record<string, unknown> = { type: "object" };
  cycle["self"] = cycle;
  const throwing = Object.defineProperty({ type: "object" }, "properties", {
    enumerable: true,
    get() {
      throw new Error("not now");
    },
  });
  return [cycle, { type: "object", maximum: 10n }, throwing].map((parameters, index) => ({
    name: `odd_${index}`,
    description: "Has a schema that cannot be written down.",
    parameters,
  }));
}

/** Freezes a value and all that it holds. */
export function freezeDeep<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.freeze(value);
    for (const item of Object.values(value)) freezeDeep(item);
  }
  return value;
}

/** The runner's own functions, if it puts them into the global scope. */
function globalRunner(): TestRunner {
  const { describe, it } = globalThis as Partial<TestRunner>;
  if (describe !== undefined && it !== undefined) return { describe, it };
  throw new Error(
    "Expected `runner` to be { describe, it } of your test runner, as there are no global ones.",
  );
}

/** Expectations by title; each gets a subject of its own. */
export type Contract<T> = readonly (readonly [
  title: string,
  body: (subject: T) => Promise<unknown>,
])[];

export interface ContractOptions<T> {
  readonly contract: Contract<T>;
  readonly create: () => T | Promise<T>;
  readonly cleanUp?: (() => void | Promise<void>) | undefined;
  readonly runner?: TestRunner | undefined;
}

/** Declares one test per expectation. */
export function declareContract<T>(name: string, options: ContractOptions<T>): void {
  const { describe, it } = options.runner ?? globalRunner();
  describe(name, () => {
    for (const [title, body] of options.contract) {
      it(title, async () => {
        try {
          await body(await options.create());
        } finally {
          await options.cleanUp?.();
        }
      });
    }
  });
}
