/**
 * The beta distribution: its distribution function and its quantile, from which the exact binomial
 * bounds follow.
 */

/** Lanczos coefficients for g = 7, n = 9 (Godfrey's table), good to 15 digits. */
const lanczos: readonly [number, ...number[]] = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
  -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
  1.5056327351493116e-7,
];

/** Natural logarithm of Γ(x) for x ≥ 0.5, by Lanczos' approximation. */
function logGamma(x: number): number {
  const [first, ...rest] = lanczos;
  const series = rest.reduce((sum, coefficient, index) => sum + coefficient / (x + index), first);
  const t = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(series);
}

/** Keeps a denominator of Lentz's method away from zero. */
const away = (value: number): number => (Math.abs(value) < 1e-300 ? 1e-300 : value);

/**
 * The continued fraction of the incomplete beta function (DLMF 8.17.22), by the modified Lentz
 * method.
 */
function betaFraction(x: number, a: number, b: number): number {
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m <= 100_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let step = 1;
    for (const term of [even, odd]) {
      d = 1 / away(1 + term * d);
      c = away(1 + term / c);
      step = c * d;
      fraction *= step;
    }
    if (Math.abs(step - 1) < 1e-15) break;
  }
  return fraction;
}

/**
 * The regularised incomplete beta function I(x; a, b): the chance that a beta variable is at most
 * `x`.
 *
 * @param x in [0, 1]
 * @param a first shape, from 0.5
 * @param b second shape, from 0.5
 */
export function betaCdf(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - betaCdf(1 - x, b, a);
  const logFront =
    logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x);
  return (Math.exp(logFront) / a) * betaFraction(x, a, b);
}

/**
 * The `p`-quantile of the beta distribution, by bisection to the last bit: slow enough to be
 * simple, exact enough to be tabulated.
 */
export function betaQuantile(p: number, a: number, b: number): number {
  let low = 0;
  let high = 1;
  for (let step = 0; step < 200; step++) {
    const middle = (low + high) / 2;
    if (middle === low || middle === high) break;
    if (betaCdf(middle, a, b) < p) low = middle;
    else high = middle;
  }
  return high;
}
