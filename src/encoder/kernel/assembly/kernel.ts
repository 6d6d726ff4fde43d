/**
 * The numeric kernel of the encoder, in AssemblyScript. `npm run build:kernel` compiles it into
 * `../wasm.ts`.
 *
 * `../javascript-kernel.ts` does the same operations in the same order, so that both give the same
 * bits: sums run over four lanes, lane `i % 4`, and end in (0 + 1) + (2 + 3). Parameters are
 * described in `../kernel.ts`. Every width is a multiple of 16.
 */

/** Largest magnitude of a quantised input: 2,900 products with 45 fit into 32 bits. */
const largest: f32 = 16383;

function sumLanes(lanes: v128): f32 {
  const low = f32x4.extract_lane(lanes, 0) + f32x4.extract_lane(lanes, 1);
  return low + (f32x4.extract_lane(lanes, 2) + f32x4.extract_lane(lanes, 3));
}

function maxLanes(lanes: v128): f32 {
  const low = max(f32x4.extract_lane(lanes, 0), f32x4.extract_lane(lanes, 1));
  return max(low, max(f32x4.extract_lane(lanes, 2), f32x4.extract_lane(lanes, 3)));
}

/** Four sums, each of the lanes of one vector. */
function sumEach(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = i32x4.add(v128.shuffle<i32>(a, b, 0, 4, 1, 5), v128.shuffle<i32>(a, b, 2, 6, 3, 7));
  const cd = i32x4.add(v128.shuffle<i32>(c, d, 0, 4, 1, 5), v128.shuffle<i32>(c, d, 2, 6, 3, 7));
  return i32x4.add(v128.shuffle<i32>(ab, cd, 0, 1, 4, 5), v128.shuffle<i32>(ab, cd, 2, 3, 6, 7));
}

function multiplyAdd(a: v128, b: v128, c: f32): v128 {
  return f32x4.add(f32x4.mul(a, b), f32x4.splat(c));
}

/** e^x for x ≤ 0, after expf of the Cephes library. */
function exp(x: v128): v128 {
  const bounded = f32x4.max(x, f32x4.splat(-87));
  const n = f32x4.nearest(f32x4.mul(bounded, f32x4.splat(Mathf.LOG2E)));
  const high = f32x4.sub(bounded, f32x4.mul(n, f32x4.splat(0.693359375)));
  const r = f32x4.sub(high, f32x4.mul(n, f32x4.splat(-2.1219444e-4)));
  let p = f32x4.splat(1.98756915e-4);
  p = multiplyAdd(p, r, 1.39819995e-3);
  p = multiplyAdd(p, r, 8.33345191e-3);
  p = multiplyAdd(p, r, 4.16657959e-2);
  p = multiplyAdd(p, r, 1.66666655e-1);
  p = multiplyAdd(p, r, 5.00000012e-1);
  p = f32x4.add(f32x4.mul(p, f32x4.mul(r, r)), r);
  p = f32x4.add(p, f32x4.splat(1));
  const exponent = i32x4.add(i32x4.trunc_sat_f32x4_s(n), i32x4.splat(127));
  return f32x4.mul(p, i32x4.shl(exponent, 23));
}

export function quantise(source: usize, target: usize, scales: usize, rows: i32, width: i32): void {
  for (let row = 0; row < rows; row += 1) {
    const end = source + ((<usize>width) << 2);
    let most = f32x4.splat(0);
    for (let at = source; at < end; at += 16) most = f32x4.max(most, f32x4.abs(v128.load(at)));
    const bound = maxLanes(most);
    store<f32>(scales, bound / largest);
    const factor = f32x4.splat(bound > 0 ? largest / bound : 0);
    for (let at = source; at < end; at += 32) {
      const low = f32x4.nearest(f32x4.mul(v128.load(at), factor));
      const high = f32x4.nearest(f32x4.mul(v128.load(at, 16), factor));
      v128.store(
        target,
        i16x8.narrow_i32x4_s(i32x4.trunc_sat_f32x4_s(low), i32x4.trunc_sat_f32x4_s(high)),
      );
      target += 16;
    }
    source = end;
    scales += 4;
  }
}

export function multiply(
  weights: usize,
  weightScales: usize,
  bias: usize,
  input: usize,
  inputScales: usize,
  output: usize,
  rows: i32,
  width: i32,
  stride: usize,
  tokens: i32,
): void {
  const bytes = <usize>width;
  const step = bytes << 1;
  for (let row = 0; row < rows; row += 2) {
    const scale0 = v128.load32_splat(weightScales);
    const scale1 = v128.load32_splat(weightScales, 4);
    const bias0 = v128.load32_splat(bias);
    const bias1 = v128.load32_splat(bias, 4);
    let tokenInput = input;
    let tokenScales = inputScales;
    let tokenOutput = output;
    for (let token = 0; token < tokens; token += 4) {
      let a0 = i32x4.splat(0);
      let a1 = i32x4.splat(0);
      let a2 = i32x4.splat(0);
      let a3 = i32x4.splat(0);
      let b0 = i32x4.splat(0);
      let b1 = i32x4.splat(0);
      let b2 = i32x4.splat(0);
      let b3 = i32x4.splat(0);
      let weight = weights;
      let x0 = tokenInput;
      let x1 = x0 + step;
      let x2 = x1 + step;
      let x3 = x2 + step;
      const end = weights + bytes;
      while (weight < end) {
        let w0 = v128.load8x8_s(weight);
        let w1 = v128.load8x8_s(weight + bytes);
        let x = v128.load(x0);
        a0 = i32x4.add(a0, i32x4.dot_i16x8_s(w0, x));
        b0 = i32x4.add(b0, i32x4.dot_i16x8_s(w1, x));
        x = v128.load(x1);
        a1 = i32x4.add(a1, i32x4.dot_i16x8_s(w0, x));
        b1 = i32x4.add(b1, i32x4.dot_i16x8_s(w1, x));
        x = v128.load(x2);
        a2 = i32x4.add(a2, i32x4.dot_i16x8_s(w0, x));
        b2 = i32x4.add(b2, i32x4.dot_i16x8_s(w1, x));
        x = v128.load(x3);
        a3 = i32x4.add(a3, i32x4.dot_i16x8_s(w0, x));
        b3 = i32x4.add(b3, i32x4.dot_i16x8_s(w1, x));
        w0 = v128.load8x8_s(weight, 8);
        w1 = v128.load8x8_s(weight + bytes, 8);
        x = v128.load(x0, 16);
        a0 = i32x4.add(a0, i32x4.dot_i16x8_s(w0, x));
        b0 = i32x4.add(b0, i32x4.dot_i16x8_s(w1, x));
        x = v128.load(x1, 16);
        a1 = i32x4.add(a1, i32x4.dot_i16x8_s(w0, x));
        b1 = i32x4.add(b1, i32x4.dot_i16x8_s(w1, x));
        x = v128.load(x2, 16);
        a2 = i32x4.add(a2, i32x4.dot_i16x8_s(w0, x));
        b2 = i32x4.add(b2, i32x4.dot_i16x8_s(w1, x));
        x = v128.load(x3, 16);
        a3 = i32x4.add(a3, i32x4.dot_i16x8_s(w0, x));
        b3 = i32x4.add(b3, i32x4.dot_i16x8_s(w1, x));
        weight += 16;
        x0 += 32;
        x1 += 32;
        x2 += 32;
        x3 += 32;
      }
      const scales = v128.load(tokenScales);
      let out0 = f32x4.mul(f32x4.convert_i32x4_s(sumEach(a0, a1, a2, a3)), scales);
      let out1 = f32x4.mul(f32x4.convert_i32x4_s(sumEach(b0, b1, b2, b3)), scales);
      out0 = f32x4.add(f32x4.mul(out0, scale0), bias0);
      out1 = f32x4.add(f32x4.mul(out1, scale1), bias1);
      const low = v128.shuffle<i32>(out0, out1, 0, 4, 1, 5);
      const high = v128.shuffle<i32>(out0, out1, 2, 6, 3, 7);
      v128.store64_lane(tokenOutput, low, 0);
      v128.store64_lane(tokenOutput + stride, low, 1);
      v128.store64_lane(tokenOutput + 2 * stride, high, 0);
      v128.store64_lane(tokenOutput + 3 * stride, high, 1);
      tokenInput += 4 * step;
      tokenScales += 16;
      tokenOutput += 4 * stride;
    }
    weights += 2 * bytes;
    weightScales += 8;
    bias += 8;
    output += 8;
  }
}

export function gelu(values: usize, count: i32): void {
  const end = values + ((<usize>count) << 2);
  for (let at = values; at < end; at += 16) {
    const x = v128.load(at);
    const z = f32x4.mul(f32x4.abs(x), f32x4.splat(Mathf.SQRT1_2));
    const one = f32x4.splat(1);
    const t = f32x4.div(one, f32x4.add(one, f32x4.mul(z, f32x4.splat(0.3275911))));
    let p = f32x4.splat(1.061405429);
    p = multiplyAdd(p, t, -1.453152027);
    p = multiplyAdd(p, t, 1.421413741);
    p = multiplyAdd(p, t, -0.284496736);
    p = multiplyAdd(p, t, 0.254829592);
    p = f32x4.mul(p, t);
    const power = exp(f32x4.neg(f32x4.mul(z, z)));
    const tail = f32x4.mul(f32x4.mul(p, power), f32x4.splat(0.5));
    const isPositive = f32x4.ge(x, f32x4.splat(0));
    v128.store(at, f32x4.mul(x, v128.bitselect(f32x4.sub(one, tail), tail, isPositive)));
  }
}

export function addNormalise(
  values: usize,
  addend: usize,
  gain: usize,
  bias: usize,
  rows: i32,
  width: i32,
  epsilon: f32,
): void {
  const bytes = (<usize>width) << 2;
  const count = <f32>width;
  for (let row = 0; row < rows; row += 1) {
    let sums = f32x4.splat(0);
    for (let at: usize = 0; at < bytes; at += 16) {
      const value = f32x4.add(v128.load(values + at), v128.load(addend + at));
      v128.store(values + at, value);
      sums = f32x4.add(sums, value);
    }
    const mean = f32x4.splat(sumLanes(sums) / count);
    sums = f32x4.splat(0);
    for (let at: usize = 0; at < bytes; at += 16) {
      const difference = f32x4.sub(v128.load(values + at), mean);
      sums = f32x4.add(sums, f32x4.mul(difference, difference));
    }
    const factor = f32x4.splat(<f32>1 / sqrt<f32>(sumLanes(sums) / count + epsilon));
    for (let at: usize = 0; at < bytes; at += 16) {
      const value = f32x4.mul(f32x4.sub(v128.load(values + at), mean), factor);
      const scaled = f32x4.mul(value, v128.load(gain + at));
      v128.store(values + at, f32x4.add(scaled, v128.load(bias + at)));
    }
    values += bytes;
    addend += bytes;
  }
}

/**
 * Keys with one row per dimension, so that four keys are compared with a query at once; zeros
 * beyond the last key.
 */
function transposeKeys(
  keys: usize,
  target: usize,
  tokens: i32,
  padded: i32,
  stride: usize,
  headWidth: i32,
): void {
  for (let dimension = 0; dimension < headWidth; dimension += 1) {
    let at = keys + ((<usize>dimension) << 2);
    for (let token = 0; token < padded; token += 1) {
      store<f32>(target, token < tokens ? load<f32>(at) : 0);
      at += stride;
      target += 4;
    }
  }
}

/** Softmax of scores in place, without the division; returns what to divide by. */
function exponentiate(scores: usize, tokens: i32, padded: i32): f32 {
  const end = scores + ((<usize>padded) << 2);
  const last = scores + ((<usize>tokens) << 2);
  for (let at = last; at < end; at += 4) store<f32>(at, load<f32>(scores));
  let most = v128.load(scores);
  for (let at = scores + 16; at < end; at += 16) most = f32x4.max(most, v128.load(at));
  const bound = f32x4.splat(maxLanes(most));
  for (let at = scores; at < end; at += 16) v128.store(at, exp(f32x4.sub(v128.load(at), bound)));
  for (let at = last; at < end; at += 4) store<f32>(at, 0);
  let sums = f32x4.splat(0);
  for (let at = scores; at < end; at += 16) sums = f32x4.add(sums, v128.load(at));
  return sumLanes(sums);
}

export function attend(
  projection: usize,
  output: usize,
  scratch: usize,
  tokens: i32,
  hidden: i32,
  headWidth: i32,
  head: i32,
): void {
  const padded = (tokens + 3) & ~3;
  const stride = ((<usize>hidden) << 2) * 3;
  const start = (<usize>(head * headWidth)) << 2;
  const keys = scratch;
  const keyStep = (<usize>padded) << 2;
  const scores = scratch + <usize>headWidth * keyStep;
  const scale = f32x4.splat(<f32>1 / sqrt<f32>(<f32>headWidth));
  let query = projection + start;
  transposeKeys(query + ((<usize>hidden) << 2), keys, tokens, padded, stride, headWidth);
  const values = query + ((<usize>hidden) << 3);
  let context = output + start;
  for (let token = 0; token < tokens; token += 1) {
    for (let key: usize = 0; key < keyStep; key += 16) {
      let sum = f32x4.splat(0);
      let at = keys + key;
      for (let dimension: usize = 0; dimension < (<usize>headWidth) << 2; dimension += 4) {
        sum = f32x4.add(sum, f32x4.mul(v128.load32_splat(query + dimension), v128.load(at)));
        at += keyStep;
      }
      v128.store(scores + key, f32x4.mul(sum, scale));
    }
    const factor = f32x4.splat(<f32>1 / exponentiate(scores, tokens, padded));
    for (let dimension: usize = 0; dimension < (<usize>headWidth) << 2; dimension += 64) {
      let c0 = f32x4.splat(0);
      let c1 = f32x4.splat(0);
      let c2 = f32x4.splat(0);
      let c3 = f32x4.splat(0);
      let at = values + dimension;
      for (let key: usize = 0; key < (<usize>tokens) << 2; key += 4) {
        const share = v128.load32_splat(scores + key);
        c0 = f32x4.add(c0, f32x4.mul(share, v128.load(at)));
        c1 = f32x4.add(c1, f32x4.mul(share, v128.load(at, 16)));
        c2 = f32x4.add(c2, f32x4.mul(share, v128.load(at, 32)));
        c3 = f32x4.add(c3, f32x4.mul(share, v128.load(at, 48)));
        at += stride;
      }
      v128.store(context + dimension, f32x4.mul(c0, factor));
      v128.store(context + dimension, f32x4.mul(c1, factor), 16);
      v128.store(context + dimension, f32x4.mul(c2, factor), 32);
      v128.store(context + dimension, f32x4.mul(c3, factor), 48);
    }
    query += stride;
    context += (<usize>hidden) << 2;
  }
}
