/** Learns the word table: one linear map of the general word vectors, and a correction and a weight for each word in use. */

import { profileTool, schemaText } from "../src/judges/local/tool-profile.js";
import { isStopWord, splitWords, stem } from "../src/core/words.js";
import { seededRandom, shuffled } from "../src/evaluation/random.js";
import { gloveDimensions, type Glove } from "./glove.js";
import { asWordTable, type PlainTable } from "./plain-table.js";
import { toolsOf, type Source } from "./sources.js";

export interface TableOptions {
  readonly seed: number;
  readonly epochs: number;
}

const batchSize = 128;
const temperature = 18;
const rates = { map: 0.01, words: 0.05 };
/** What a correction keeps at each step. */
const decay = 0.999;
/** Number of stems kept: those in use, then the most frequent ones. */
const tableSize = 20_000;
const dimensions = gloveDimensions;

/** A text as word ids with factors; `answers` names the tools that a request needs, by number. */
interface Bag {
  readonly ids: Int32Array;
  readonly factors: Float32Array;
}

interface Pair {
  readonly query: Bag;
  readonly tool: Bag;
  readonly toolNumber: number;
  /** Tools that are right too, and must not count as wrong answers. */
  readonly answers: ReadonlySet<number>;
}

type IdsOf = (text: string) => readonly number[];

function bagOf(idsOf: IdsOf, parts: readonly (readonly [text: string, factor: number])[]): Bag {
  const factors = new Map<number, number>();
  for (const [text, factor] of parts) {
    for (const id of new Set(idsOf(text))) factors.set(id, (factors.get(id) ?? 0) + factor);
  }
  return { ids: Int32Array.from(factors.keys()), factors: Float32Array.from(factors.values()) };
}

/** Pairs of one source: requests with the tools they need, and of every tool its name with its description. */
function pairsOf(source: Source, idsOf: IdsOf): readonly Pair[] {
  const tools = toolsOf(source);
  const numbers = new Map(tools.map((tool, index) => [tool, index]));
  const bags = tools.map(({ name, description = "", parameters }) =>
    bagOf(idsOf, [
      [name, 2],
      [description, 1],
      [schemaText(parameters), 0.3],
    ]),
  );
  const pairs: Pair[] = tools.map(({ name, description = "", parameters }, index) => ({
    query: bagOf(idsOf, [[name, 1]]),
    tool: bagOf(idsOf, [
      [description, 1],
      [schemaText(parameters), 0.3],
    ]),
    toolNumber: index,
    answers: new Set([index]),
  }));
  const seen = new Set<string>();
  for (const part of source.parts) {
    for (const { labelled, context } of part.cases) {
      const { needed } = labelled;
      if (needed === null || needed.length === 0) continue;
      const key = `${context.request}\n${needed.join()}`;
      if (seen.has(key)) continue;
      seen.add(key);
      const right = needed.flatMap((id) => {
        const tool = part.catalog.get(id);
        return tool === undefined ? [] : (numbers.get(tool) ?? []);
      });
      const query = bagOf(idsOf, [[context.request, 1]]);
      for (const toolNumber of right) {
        const tool = bags[toolNumber] as Bag;
        pairs.push({ query, tool, toolNumber, answers: new Set(right) });
      }
    }
  }
  return pairs.filter(({ query, tool }) => query.ids.length > 0 && tool.ids.length > 0);
}

/** Share of tools whose text holds the word, smoothed by its share of running text: how little a word says. */
function commonness(glove: Glove, sources: readonly Source[], idsOf: IdsOf): Float64Array {
  const holders = new Float64Array(glove.stems.length);
  let tools = 0;
  for (const source of sources) {
    for (const { name, description = "", parameters } of toolsOf(source)) {
      tools += 1;
      const ids = new Set(idsOf(`${name}\n${description}\n${schemaText(parameters)}`));
      for (const id of ids) holders[id] = (holders[id] as number) + 1;
    }
  }
  return glove.frequencies.map(
    (frequency, id) =>
      0.5 * frequency + (0.5 * 0.03 * (holders[id] as number)) / Math.max(1, tools),
  );
}

/** A word that makes up this share of text counts half. */
const smoothing = 3e-4;
const maxTextChars = 2000;

/** Principal directions of the frequent words' vectors, by orthogonal iteration. */
function principalMap(glove: Glove, seed: number): Float32Array {
  const random = seededRandom(`map:${seed}`);
  const used = Math.min(20_000, glove.stems.length);
  const size = gloveDimensions;
  const covariance = new Float64Array(size * size);
  for (let row = 0; row < used; row += 1) {
    const vector = glove.vectors.subarray(row * size, (row + 1) * size);
    for (let a = 0; a < size; a += 1) {
      for (let b = 0; b < size; b += 1) {
        covariance[a * size + b] =
          (covariance[a * size + b] as number) + (vector[a] as number) * (vector[b] as number);
      }
    }
  }
  const map = Float64Array.from({ length: dimensions * size }, () => random() - 0.5);
  for (let round = 0; round < 30; round += 1) {
    const next = new Float64Array(dimensions * size);
    for (let row = 0; row < dimensions; row += 1) {
      for (let a = 0; a < size; a += 1) {
        let sum = 0;
        for (let b = 0; b < size; b += 1)
          sum += (covariance[a * size + b] as number) * (map[row * size + b] as number);
        next[row * size + a] = sum;
      }
    }
    orthogonalise(next, dimensions, size);
    map.set(next);
  }
  return Float32Array.from(map);
}

function orthogonalise(rows: Float64Array, count: number, size: number): void {
  for (let row = 0; row < count; row += 1) {
    const vector = rows.subarray(row * size, (row + 1) * size);
    for (let other = 0; other < row; other += 1) {
      const previous = rows.subarray(other * size, (other + 1) * size);
      let product = 0;
      for (let index = 0; index < size; index += 1)
        product += (vector[index] as number) * (previous[index] as number);
      for (let index = 0; index < size; index += 1) {
        vector[index] = (vector[index] as number) - product * (previous[index] as number);
      }
    }
    const length = Math.hypot(...vector);
    for (let index = 0; index < size; index += 1)
      vector[index] = (vector[index] as number) / length;
  }
}

/** One side of a batch: the texts' mapped vectors, scaled to length one, and what is needed to send a gradient back. */
class Side {
  readonly sums: Float32Array;
  readonly units: Float32Array;
  readonly lengths: Float32Array;
  readonly gradients: Float32Array;

  readonly bags: readonly Bag[];
  readonly model: TableModel;

  constructor(bags: readonly Bag[], model: TableModel) {
    this.bags = bags;
    this.model = model;
    this.sums = new Float32Array(bags.length * gloveDimensions);
    this.units = new Float32Array(bags.length * dimensions);
    this.lengths = new Float32Array(bags.length);
    this.gradients = new Float32Array(bags.length * dimensions);
    bags.forEach((bag, index) => this.#embed(bag, index));
  }

  #embed(bag: Bag, index: number): void {
    const { glove, map, corrections, weights } = this.model;
    const sum = this.sums.subarray(index * gloveDimensions, (index + 1) * gloveDimensions);
    const unit = this.units.subarray(index * dimensions, (index + 1) * dimensions);
    for (let at = 0; at < bag.ids.length; at += 1) {
      const id = bag.ids[at] as number;
      const factor = (bag.factors[at] as number) * (weights[id] as number);
      const from = id * gloveDimensions;
      for (let d = 0; d < gloveDimensions; d += 1)
        sum[d] = (sum[d] as number) + factor * (glove.vectors[from + d] as number);
      const start = id * dimensions;
      for (let d = 0; d < dimensions; d += 1)
        unit[d] = (unit[d] as number) + factor * (corrections[start + d] as number);
    }
    for (let row = 0; row < dimensions; row += 1) {
      let value = 0;
      for (let d = 0; d < gloveDimensions; d += 1)
        value += (map[row * gloveDimensions + d] as number) * (sum[d] as number);
      unit[row] = (unit[row] as number) + value;
    }
    let squares = 1e-12;
    for (let d = 0; d < dimensions; d += 1) squares += (unit[d] as number) ** 2;
    const length = Math.sqrt(squares);
    for (let d = 0; d < dimensions; d += 1) unit[d] = (unit[d] as number) / length;
    this.lengths[index] = length;
  }

  /** Turns gradients on the unit vectors into gradients on the unscaled ones, and hands them to the model. */
  sendBack(): void {
    this.bags.forEach((bag, index) => {
      const unit = this.units.subarray(index * dimensions, (index + 1) * dimensions);
      const gradient = this.gradients.subarray(index * dimensions, (index + 1) * dimensions);
      let along = 0;
      for (let d = 0; d < dimensions; d += 1)
        along += (unit[d] as number) * (gradient[d] as number);
      const length = this.lengths[index] as number;
      for (let d = 0; d < dimensions; d += 1) {
        gradient[d] = ((gradient[d] as number) - along * (unit[d] as number)) / length;
      }
      this.model.collect(
        bag,
        this.sums.subarray(index * gloveDimensions, (index + 1) * gloveDimensions),
        gradient,
      );
    });
  }
}

/** The parameters, with Adagrad steps. */
class TableModel {
  readonly map: Float32Array;
  readonly corrections: Float32Array;
  readonly mapGradient: Float32Array;
  readonly #mapSquares: Float32Array;
  readonly #correctionSquares: Float32Array;
  readonly #touched = new Map<number, Float32Array>();

  readonly glove: Glove;
  /** How much each word counts in a text; fixed. */
  readonly weights: Float32Array;

  constructor(glove: Glove, map: Float32Array, weights: Float32Array) {
    this.glove = glove;
    this.weights = weights;
    this.map = map;
    this.corrections = new Float32Array(glove.stems.length * dimensions);
    this.mapGradient = new Float32Array(map.length);
    this.#mapSquares = new Float32Array(map.length).fill(1e-8);
    this.#correctionSquares = new Float32Array(glove.stems.length).fill(1e-8);
  }

  /** The mapped vector of a word. */
  wordVector(id: number): Float32Array {
    const vector = this.corrections.slice(id * dimensions, (id + 1) * dimensions);
    const from = id * gloveDimensions;
    for (let row = 0; row < dimensions; row += 1) {
      let value = 0;
      for (let d = 0; d < gloveDimensions; d += 1) {
        value +=
          (this.map[row * gloveDimensions + d] as number) *
          (this.glove.vectors[from + d] as number);
      }
      vector[row] = (vector[row] as number) + value;
    }
    return vector;
  }

  collect(bag: Bag, sum: Float32Array, gradient: Float32Array): void {
    for (let row = 0; row < dimensions; row += 1) {
      const value = gradient[row] as number;
      const start = row * gloveDimensions;
      for (let d = 0; d < gloveDimensions; d += 1) {
        this.mapGradient[start + d] =
          (this.mapGradient[start + d] as number) + value * (sum[d] as number);
      }
    }
    for (let at = 0; at < bag.ids.length; at += 1) {
      const id = bag.ids[at] as number;
      const factor = (bag.factors[at] as number) * (this.weights[id] as number);
      let touched = this.#touched.get(id);
      if (touched === undefined) {
        touched = new Float32Array(dimensions);
        this.#touched.set(id, touched);
      }
      for (let d = 0; d < dimensions; d += 1) {
        touched[d] = (touched[d] as number) + factor * (gradient[d] as number);
      }
    }
  }

  /** One Adagrad step. */
  step(): void {
    for (const [id, gradient] of this.#touched) {
      let squares = 0;
      for (let d = 0; d < dimensions; d += 1) squares += (gradient[d] as number) ** 2;
      this.#correctionSquares[id] = (this.#correctionSquares[id] as number) + squares / dimensions;
      const rate = rates.words / Math.sqrt(this.#correctionSquares[id]);
      const start = id * dimensions;
      for (let d = 0; d < dimensions; d += 1) {
        const moved = (this.corrections[start + d] as number) - rate * (gradient[d] as number);
        this.corrections[start + d] = decay * moved;
      }
    }
    this.#touched.clear();
    for (let index = 0; index < this.map.length; index += 1) {
      const gradient = this.mapGradient[index] as number;
      this.#mapSquares[index] = (this.#mapSquares[index] as number) + gradient * gradient;
      this.map[index] =
        (this.map[index] as number) -
        (rates.map * gradient) / Math.sqrt(this.#mapSquares[index] as number);
      this.mapGradient[index] = 0;
    }
  }
}

/** Closeness of every request to every tool of the batch; a tool that is right too is left out of the contest. */
function logitsOf(pairs: readonly Pair[], queries: Side, tools: Side): Float32Array {
  const count = pairs.length;
  const logits = new Float32Array(count * count);
  for (const [i, { answers }] of pairs.entries()) {
    for (const [j, { toolNumber }] of pairs.entries()) {
      let product = 0;
      for (let d = 0; d < dimensions; d += 1) {
        product +=
          (queries.units[i * dimensions + d] as number) *
          (tools.units[j * dimensions + d] as number);
      }
      logits[i * count + j] =
        i !== j && answers.has(toolNumber) ? -Infinity : product * temperature;
    }
  }
  return logits;
}

/** Slopes of the softmax cross-entropy of each request against the tools, and of each tool against the requests. */
function slopesOf(logits: Float32Array, count: number): Float32Array {
  const slopes = new Float32Array(count * count);
  for (const [outer, inner] of [
    [count, 1],
    [1, count],
  ] as const) {
    for (let i = 0; i < count; i += 1) {
      let most = -Infinity;
      let sum = 0;
      for (let j = 0; j < count; j += 1)
        most = Math.max(most, logits[i * outer + j * inner] as number);
      for (let j = 0; j < count; j += 1)
        sum += Math.exp((logits[i * outer + j * inner] as number) - most);
      for (let j = 0; j < count; j += 1) {
        const at = i * outer + j * inner;
        const share = Math.exp((logits[at] as number) - most) / sum;
        slopes[at] = (slopes[at] as number) + (share - (i === j ? 1 : 0)) / (2 * count);
      }
    }
  }
  return slopes;
}

/** Contrastive loss over a batch (InfoNCE, van den Oord et al. 2018), both ways. */
function addLossGradients(pairs: readonly Pair[], queries: Side, tools: Side): void {
  const count = pairs.length;
  const slopes = slopesOf(logitsOf(pairs, queries, tools), count);
  for (let i = 0; i < count; i += 1) {
    for (let j = 0; j < count; j += 1) {
      const slope = temperature * (slopes[i * count + j] as number);
      if (slope === 0) continue;
      for (let d = 0; d < dimensions; d += 1) {
        const q = i * dimensions + d;
        const t = j * dimensions + d;
        queries.gradients[q] =
          (queries.gradients[q] as number) + slope * (tools.units[t] as number);
        tools.gradients[t] = (tools.gradients[t] as number) + slope * (queries.units[q] as number);
      }
    }
  }
}

/** Trains a table on all sources given. Deterministic. */
export function trainTable(
  glove: Glove,
  sources: readonly Source[],
  { seed, epochs }: TableOptions,
): PlainTable {
  const ids = new Map(glove.stems.map((one, index) => [one, index]));
  const idsOf: IdsOf = (text) =>
    splitWords(text.slice(0, maxTextChars)).flatMap((word) =>
      isStopWord(word) ? [] : (ids.get(stem(word)) ?? []),
    );
  const weights = Float32Array.from(
    commonness(glove, sources, idsOf),
    (value) => smoothing / (smoothing + value),
  );
  const model = new TableModel(glove, principalMap(glove, seed), weights);
  const pairs = sources.map((source) => pairsOf(source, idsOf));
  const random = seededRandom(`table:${seed}`);
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    const batches = pairs.flatMap((own) => inBatches(shuffled(own, random)));
    for (const batch of shuffled(batches, random)) learnFrom(batch, model);
  }
  const inUse = pairs.flatMap((own) =>
    own.flatMap(({ query, tool }) => [...query.ids, ...tool.ids]),
  );
  const packed = pack(model, new Set(inUse));
  return { ...packed, background: drawBackground(packed, sources, random) };
}

function inBatches(pairs: readonly Pair[]): readonly (readonly Pair[])[] {
  return Array.from({ length: Math.ceil(pairs.length / batchSize) }, (_, index) =>
    pairs.slice(index * batchSize, (index + 1) * batchSize),
  );
}

function learnFrom(batch: readonly Pair[], model: TableModel): void {
  const queries = new Side(
    batch.map(({ query }) => query),
    model,
  );
  const tools = new Side(
    batch.map(({ tool }) => tool),
    model,
  );
  addLossGradients(batch, queries, tools);
  queries.sendBack();
  tools.sendBack();
  model.step();
}

const backgroundSize = 256;

/** Tools of all sources alike. */
function drawBackground(
  packed: PlainTable,
  sources: readonly Source[],
  random: () => number,
): readonly Float32Array[] {
  const table = asWordTable(packed);
  const share = Math.ceil(backgroundSize / sources.length);
  return sources
    .flatMap((source) => shuffled(toolsOf(source), random).slice(0, share))
    .slice(0, backgroundSize)
    .map((tool) => profileTool(table, tool, []).vector);
}

function pack(model: TableModel, inUse: ReadonlySet<number>): PlainTable {
  const { glove } = model;
  const kept = new Set(inUse);
  for (let id = 0; id < glove.stems.length && kept.size < tableSize; id += 1) kept.add(id);
  const order = [...kept].sort((a, b) => a - b);
  const vectors = new Float32Array(order.length * dimensions);
  order.forEach((id, row) => vectors.set(model.wordVector(id), row * dimensions));
  return {
    stems: order.map((id) => glove.stems[id] as string),
    dimensions,
    vectors,
    weights: Float32Array.from(order, (id) => model.weights[id] as number),
    background: [],
  };
}
