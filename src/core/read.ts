/** Reads properties of values that come from outside. */

/** The value of a property; `undefined` if there is none, or if its getter throws. */
export function read(value: unknown, key: PropertyKey): unknown {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) {
    return undefined;
  }
  try {
    return Reflect.get(value, key);
  } catch {
    return undefined;
  }
}

/** The string at a property; `undefined` if there is none, or an empty one. */
export function readText(value: unknown, key: PropertyKey): string | undefined {
  const found = read(value, key);
  return typeof found === "string" && found !== "" ? found : undefined;
}

/** The array at a property, else an empty one. */
export function readList(value: unknown, key: PropertyKey): readonly unknown[] {
  const found = read(value, key);
  return Array.isArray(found) ? found : [];
}
