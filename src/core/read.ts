/** Reads values that come from outside. */

/** The value of a property; `undefined` if there is none, or if a getter or proxy refuses. */
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
