/** Sums of counts, some of which may be unknown. */

/** The sum; 0 for an empty list. */
export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The sum; `null` as soon as one value is unknown (`null` or `undefined`). */
export function sumKnown(values: readonly (number | null | undefined)[]): number | null {
  return values.reduce<number | null>(
    (total, value) =>
      total === null || value === null || value === undefined ? null : total + value,
    0,
  );
}

/** The sum of the values that are stated; `undefined` if none is. */
export function sumStated(values: readonly (number | undefined)[]): number | undefined {
  const stated = values.filter((value) => value !== undefined);
  return stated.length === 0 ? undefined : sum(stated);
}
