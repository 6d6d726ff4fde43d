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

/** Levels that are written. */
const maxDepth = 100;

const common = { bigint: "string", circularValue: "[Circular]", maximumDepth: maxDepth } as const;
const inOrder = safeStringify.configure({ ...common, deterministic: false });
const sorted = safeStringify.configure({ ...common, deterministic: true });

/**
 * Counts the properties and items below a value, up to just over `maxNodes`; a value that lies too
 * deep, as one inside itself does, and a BigInt count as too many.
 */
function countNodes(value: unknown, depth: number, before: number): number {
  if (typeof value === "bigint") return Number.POSITIVE_INFINITY;
  if (typeof value !== "object" || value === null) return before + 1;
  if (depth === maxDepth) return Number.POSITIVE_INFINITY;
  let nodes = before + 1;
  for (const inner of Object.values(value)) {
    nodes = countNodes(inner, depth + 1, nodes);
    if (nodes > maxNodes) break;
  }
  return nodes;
}

/** Writes at most `maxNodes` properties and items, with placeholders for cycles. Slow. */
function writeBounded(value: unknown, writer: typeof inOrder): string | undefined {
  let nodes = 0;
  return writer(value, (_key, inner) => {
    nodes += 1;
    return nodes > maxNodes ? undefined : inner;
  });
}

/**
 * Replaces half surrogate pairs, which JSON writes as escapes. An escaped backslash is matched
 * first, so that text stays text.
 */
function repairEscapes(json: string): string {
  if (!json.includes("\\ud")) return json;
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
  try {
    const isBounded = countNodes(value, 0, 0) <= maxNodes;
    const json = isBounded ? writer(value) : writeBounded(value, writer);
    if (json === undefined) return null;
    const text = repairEscapes(json);
    return { text, isExact: isBounded && text === json };
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
