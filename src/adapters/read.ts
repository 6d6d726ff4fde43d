/** Reads host objects without trusting them: a getter or proxy that throws counts as an absent value. */

import { read } from "../core/read.js";

export { read };

/** A non-empty string at a property, else `undefined`. */
export function readText(value: unknown, key: PropertyKey): string | undefined {
  const found = read(value, key);
  return typeof found === "string" && found !== "" ? found : undefined;
}

/** The array at a property, else an empty one. */
export function readList(value: unknown, key: PropertyKey): readonly unknown[] {
  const found = read(value, key);
  return isList(found) ? found : [];
}

/** `Array.isArray` that survives a revoked proxy. */
export function isList(value: unknown): value is readonly unknown[] {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}

/** Maps the readable items of a list; an item that throws, and `undefined`, are left out. */
export function mapReadable<T, R>(
  items: readonly T[],
  map: (item: T) => R | undefined,
): readonly R[] {
  const mapped: R[] = [];
  for (let index = 0; index < items.length; index += 1) {
    try {
      const result = map(items[index] as T);
      if (result !== undefined) mapped.push(result);
    } catch {
      // An unreadable item says nothing about the others.
    }
  }
  return mapped;
}
