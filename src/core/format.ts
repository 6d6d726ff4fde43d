/** Numbers for people, in the same words on the page and in the terminal. */

/** A whole number with separators: "1,234". */
export function formatCount(value: number): string {
  return value.toLocaleString("en-US", { maximumFractionDigits: 0 });
}

/** Three digits below a hundred, else a whole number: "0.0123", "12.3", "1,234". */
export function formatNumber(value: number): string {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return formatCount(value);
  return String(Number(value.toPrecision(3)));
}

/** A share as a percentage of three digits: "0.997 %". */
export function formatPercent(share: number): string {
  return `${Number((share * 100).toPrecision(3))} %`;
}
