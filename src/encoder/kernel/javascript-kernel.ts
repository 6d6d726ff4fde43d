/**
 * The kernel in plain JavaScript, for hosts that compile no WebAssembly. Same operations, same
 * order, same bits as `assembly/kernel.ts`.
 */

import type { Kernel, KernelOperations } from "./kernel.js";

const { fround } = Math;

const largest = 16_383;

/**
 * Added to a small number and subtracted again, it rounds to the nearest whole number, ties to
 * even.
 */
const roundingShift = 12_582_912;

const nearest = (value: number): number => fround(fround(value + roundingShift) - roundingShift);

/** 2^n for n from -126 to 0. */
const powers = Float32Array.from({ length: 127 }, (_, index) => 2 ** (index - 126));

const log2e = fround(Math.LOG2E);
const ln2High = fround(0.693359375);
const ln2Low = fround(-2.1219444e-4);
const e0 = fround(1.98756915e-4);
const e1 = fround(1.39819995e-3);
const e2 = fround(8.33345191e-3);
const e3 = fround(4.16657959e-2);
const e4 = fround(1.66666655e-1);
const e5 = fround(5.00000012e-1);

/** e^x for x ≤ 0, after expf of the Cephes library. */
function exp(x: number): number {
  const bounded = x > -87 ? x : -87;
  const n = nearest(fround(bounded * log2e));
  const r = fround(fround(bounded - fround(n * ln2High)) - fround(n * ln2Low));
  let p = fround(fround(e0 * r) + e1);
  p = fround(fround(p * r) + e2);
  p = fround(fround(p * r) + e3);
  p = fround(fround(p * r) + e4);
  p = fround(fround(p * r) + e5);
  p = fround(fround(fround(p * fround(r * r)) + r) + 1);
  return fround(p * (powers[n + 126] as number));
}

const inverseRoot2 = fround(Math.SQRT1_2);
const g0 = fround(0.3275911);
const g1 = fround(1.061405429);
const g2 = fround(-1.453152027);
const g3 = fround(1.421413741);
const g4 = fround(-0.284496736);
const g5 = fround(0.254829592);

function geluAt(x: number): number {
  const z = fround(Math.abs(x) * inverseRoot2);
  const t = fround(1 / fround(1 + fround(z * g0)));
  let p = fround(fround(g1 * t) + g2);
  p = fround(fround(p * t) + g3);
  p = fround(fround(p * t) + g4);
  p = fround(fround(p * t) + g5);
  p = fround(p * t);
  const tail = fround(fround(p * exp(-fround(z * z))) * 0.5);
  return fround(x * (x >= 0 ? fround(1 - tail) : tail));
}

/** The sum of four lanes, as the vector unit adds them up. */
const sumLanes = (a: number, b: number, c: number, d: number): number =>
  fround(fround(a + b) + fround(c + d));

/** Number of 32-bit units in front of a byte offset. */
const at32 = (offset: number): number => offset >>> 2;

/** A kernel over a memory of its own. */
export function createJavaScriptKernel(bytes: number): Kernel {
  const memory = new ArrayBuffer(bytes);
  return {
    name: "javascript",
    memory,
    productsPerStep: 2_000_000,
    operations: createOperations(memory),
  };
}

function createOperations(memory: ArrayBuffer): KernelOperations {
  const floats = new Float32Array(memory);
  const shorts = new Int16Array(memory);
  const units = new Int8Array(memory);
  const read = (index: number): number => floats[index] as number;

  function quantiseRow(source: number, target: number, width: number): number {
    let most = 0;
    for (let index = source; index < source + width; index += 1) {
      most = Math.max(most, Math.abs(read(index)));
    }
    const factor = most > 0 ? fround(largest / most) : 0;
    for (let index = 0; index < width; index += 1) {
      shorts[target + index] = nearest(fround(read(source + index) * factor));
    }
    return fround(most / largest);
  }

  const sums = new Int32Array(4);

  /**
   * The products of one row of weights with the inputs of four tokens: each weight is read once.
   */
  function multiplyFour(weights: number, input: number, width: number): void {
    let sum0 = 0;
    let sum1 = 0;
    let sum2 = 0;
    let sum3 = 0;
    for (let index = 0; index < width; index += 1) {
      const weight = units[weights + index] as number;
      const value = input + index;
      sum0 = (sum0 + Math.imul(weight, shorts[value] as number)) | 0;
      sum1 = (sum1 + Math.imul(weight, shorts[value + width] as number)) | 0;
      sum2 = (sum2 + Math.imul(weight, shorts[value + 2 * width] as number)) | 0;
      sum3 = (sum3 + Math.imul(weight, shorts[value + 3 * width] as number)) | 0;
    }
    sums[0] = sum0;
    sums[1] = sum1;
    sums[2] = sum2;
    sums[3] = sum3;
  }

  function addRow(values: number, addend: number, width: number): number {
    const lanes: [number, number, number, number] = [0, 0, 0, 0];
    for (let index = 0; index < width; index += 1) {
      const value = fround(read(values + index) + read(addend + index));
      floats[values + index] = value;
      const lane = index & 3;
      lanes[lane] = fround((lanes[lane] as number) + value);
    }
    return fround(sumLanes(...lanes) / width);
  }

  function varianceOf(values: number, mean: number, width: number): number {
    const lanes: [number, number, number, number] = [0, 0, 0, 0];
    for (let index = 0; index < width; index += 1) {
      const difference = fround(read(values + index) - mean);
      const lane = index & 3;
      lanes[lane] = fround((lanes[lane] as number) + fround(difference * difference));
    }
    return fround(sumLanes(...lanes) / width);
  }

  /** Softmax of scores in place, without the division; returns what to divide by. */
  function exponentiate(scores: number, tokens: number): number {
    let most = read(scores);
    for (let index = 1; index < tokens; index += 1) most = Math.max(most, read(scores + index));
    const lanes: [number, number, number, number] = [0, 0, 0, 0];
    for (let index = 0; index < tokens; index += 1) {
      const power = exp(fround(read(scores + index) - most));
      floats[scores + index] = power;
      const lane = index & 3;
      lanes[lane] = fround((lanes[lane] as number) + power);
    }
    return sumLanes(...lanes);
  }

  return {
    quantise(source, target, scales, rows, width) {
      for (let row = 0; row < rows; row += 1) {
        const from = at32(source) + row * width;
        floats[at32(scales) + row] = quantiseRow(from, (target >>> 1) + row * width, width);
      }
    },
    multiply(weights, weightScales, bias, input, inputScales, output, rows, width, stride, tokens) {
      for (let row = 0; row < rows; row += 1) {
        const scale = read(at32(weightScales) + row);
        const shift = read(at32(bias) + row);
        for (let token = 0; token < tokens; token += 1) {
          if (token % 4 === 0) {
            multiplyFour(weights + row * width, (input >>> 1) + token * width, width);
          }
          const sum = fround(sums[token % 4] as number);
          const value = fround(fround(sum * read(at32(inputScales) + token)) * scale);
          floats[at32(output + token * stride) + row] = fround(value + shift);
        }
      }
    },
    gelu(values, count) {
      const from = at32(values);
      for (let index = from; index < from + count; index += 1) floats[index] = geluAt(read(index));
    },
    addNormalise(values, addend, gain, bias, rows, width, epsilon) {
      for (let row = 0; row < rows; row += 1) {
        const from = at32(values) + row * width;
        const mean = addRow(from, at32(addend) + row * width, width);
        const variance = varianceOf(from, mean, width);
        const factor = fround(1 / fround(Math.sqrt(fround(variance + fround(epsilon)))));
        for (let index = 0; index < width; index += 1) {
          const value = fround(fround(read(from + index) - mean) * factor);
          const scaled = fround(value * read(at32(gain) + index));
          floats[from + index] = fround(scaled + read(at32(bias) + index));
        }
      }
    },
    attend(projection, output, scratch, tokens, hidden, headWidth, head) {
      const scale = fround(1 / fround(Math.sqrt(headWidth)));
      const queries = at32(projection) + head * headWidth;
      const keys = queries + hidden;
      const values = keys + hidden;
      const stride = 3 * hidden;
      const scores = at32(scratch);
      for (let token = 0; token < tokens; token += 1) {
        const query = queries + token * stride;
        for (let key = 0; key < tokens; key += 1) {
          let sum = 0;
          for (let index = 0; index < headWidth; index += 1) {
            const product = fround(read(query + index) * read(keys + key * stride + index));
            sum = fround(sum + product);
          }
          floats[scores + key] = fround(sum * scale);
        }
        const factor = fround(1 / exponentiate(scores, tokens));
        const context = at32(output) + token * hidden + head * headWidth;
        for (let index = 0; index < headWidth; index += 1) {
          let sum = 0;
          for (let key = 0; key < tokens; key += 1) {
            const share = fround(read(scores + key) * read(values + key * stride + index));
            sum = fround(sum + share);
          }
          floats[context + index] = fround(sum * factor);
        }
      }
    },
  };
}
