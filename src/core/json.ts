/**
 * JSON of unchecked values: cycles, huge structures, half surrogate pairs. Always finishes, in
 * bounded size.
 */

import safeStringify from "safe-stable-stringify";

/**
 * Properties and items that are written; a structure that refers to itself in many ways has
 * millions.
 */
const maxNodes = 50_000;

const common = { bigint: "string", circularValue: "[Circular]", maximumDepth: 100 } as const;
const inOrder = safeStringify.configure({ ...common, deterministic: false });
const sorted = safeStringify.configure({ ...common, deterministic: true });

/** Stands for a value inside itself, or one that lies too deep. */
const placeholder = /"\[(?:Circular|Object|Array)\]"/;

/**
 * Replaces half surrogate pairs, which JSON writes as escapes. An escaped backslash is matched
 * first, so that text stays text.
 */
function repairEscapes(json: string): string {
  return json.replace(/\\\\|\\ud[89a-f][0-9a-f]{2}/g, (escape) =>
    escape === "\\\\" ? escape : "\ufffd",
  );
}

/** JSON text. `isExact`: it equals the value; nothing was cut, repaired or circular. */
export interface JsonText {
  readonly text: string;
  readonly isExact: boolean;
}

function write(value: unknown, writer: typeof inOrder): JsonText | null {
  let nodes = 0;
  let isPlain = true;
  try {
    const json = writer(value, (_key, inner) => {
      nodes += 1;
      if (nodes > maxNodes || typeof inner === "bigint") isPlain = false;
      return nodes > maxNodes ? undefined : inner;
    });
    if (json === undefined) return null;
    const text = repairEscapes(json);
    return { text, isExact: isPlain && text === json && !placeholder.test(json) };
  } catch {
    return null;
  }
}

/** JSON of a value with keys in the order given; `null` for a function or a throwing getter. */
export function writeJson(value: unknown): JsonText | null {
  return write(value, inOrder);
}

/** The text of {@link writeJson}. */
export function toJson(value: unknown): string | null {
  return writeJson(value)?.text ?? null;
}

/** A text that is equal for equal values, whatever the order of their keys. */
export function canonicalJson(value: unknown): string {
  return write(value, sorted)?.text ?? "[unreadable]";
}
