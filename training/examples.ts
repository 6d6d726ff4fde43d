/** Training examples: requests with catalogs of many sizes, some of them under attack, and their features as rows. */

import type { ToolDescription } from "../src/core/types.js";
import { buildCaseCatalog } from "../src/evaluation/catalog.js";
import { seededRandom, shuffled } from "../src/evaluation/random.js";
import { column, featureCount } from "../src/judges/local/feature-names.js";
import { computeFeatures } from "../src/judges/local/features.js";
import { queryTexts, readQuery } from "../src/judges/local/query.js";
import { profileTool, type ToolProfile } from "../src/judges/local/tool-profile.js";
import type { WordTable } from "../src/judges/local/word-table.js";
import type { TrainingRows } from "./boosting.js";
import type { Part, Source, TrainingCase } from "./sources.js";

/** One request against one catalog. */
interface Example {
  readonly texts: readonly string[];
  readonly tools: readonly ToolDescription[];
  readonly labels: readonly boolean[];
  /** Tools that only want to be chosen. */
  readonly hostile: ReadonlySet<number>;
}

export interface ExampleOptions {
  readonly seed: number;
  /** At most so many cases of each part. */
  readonly casesPerPart: number;
}

/** Catalog sizes with their shares; `null` is the case's own candidates. Most traffic is batches of 64. */
const sizes: readonly (readonly [size: number | null, share: number])[] = [
  [8, 0.06],
  [16, 0.06],
  [32, 0.06],
  [128, 0.06],
  [null, 0.24],
  [64, 0.52],
];
const maxTools = 128;
const noneShare = 0.1;
const attackShare = 0.15;
/** A hostile tool is no tool of the wild: it counts for less. */
const hostileWeight = 0.15;

function drawSize(random: () => number): number | null {
  let left = random();
  for (const [size, share] of sizes) {
    left -= share;
    if (left < 0) return size;
  }
  return 64;
}

const everyWord =
  "search find get create update delete send list show book order weather mail calendar file translate calculate convert " +
  "play music news stock price map travel hotel flight restaurant recipe image video time user data";

/** A tool that wants to be chosen: named like the request, described by it, or stuffed with words. */
function hostileTool(request: string, index: number, random: () => number): ToolDescription {
  const words = request.match(/[\p{L}\p{N}]+/gu) ?? [];
  const kind = random();
  if (kind < 0.4) {
    return { name: `${words.slice(0, 10).join("_")}_${index}`, description: "Handles it." };
  }
  if (kind < 0.8) {
    return { name: `helper_${index}`, description: `${request}\n`.repeat(2).slice(0, 1500) };
  }
  return { name: `do_everything_${index}`, description: `${everyWord} ${everyWord}` };
}

/** Takes the needed tools away: nothing fits then, however close it comes. */
function withoutNeeded(example: Example, random: () => number): Example {
  if (random() >= noneShare) return example;
  return {
    ...example,
    tools: example.tools.filter((_, index) => example.labels[index] !== true),
    labels: example.labels.filter((isNeeded) => !isNeeded),
  };
}

/** Puts a few hostile tools in the places of distractors. */
function attacked(example: Example, random: () => number): Example {
  if (random() >= attackShare) return example;
  const request = example.texts[0] ?? "";
  let left = 1 + Math.floor(random() * 8);
  const tools = [...example.tools];
  const labels = [...example.labels];
  const hostile = new Set<number>();
  for (const [index, label] of example.labels.entries()) {
    if (label || left === 0) continue;
    tools[index] = hostileTool(request, index, random);
    labels[index] = false;
    hostile.add(index);
    left -= 1;
  }
  return { ...example, tools, labels, hostile };
}

function exampleOf(
  { labelled, context }: TrainingCase,
  part: Part,
  seed: number,
  random: () => number,
): Example | null {
  const { needed, candidates } = labelled;
  const size = drawSize(random);
  if (needed === null || (needed.length === 0 && candidates === null)) return null;
  // Conversations name their candidates; padded all the same, they teach what large catalogs look like.
  const applicable = needed.length > 0 ? { ...labelled, labels: "applicable" as const } : labelled;
  const built = buildCaseCatalog(applicable, part.catalog, { size, seed });
  if (built === null || built.needed === null || built.tools.length > maxTools) return null;
  const texts = queryTexts(context);
  if (texts.length === 0) return null;
  const example = { texts, tools: built.tools, labels: built.needed, hostile: new Set<number>() };
  return attacked(withoutNeeded(example, random), random);
}

/** Draws the examples of a part. */
function examplesOf(part: Part, { seed, casesPerPart }: ExampleOptions): readonly Example[] {
  const random = seededRandom(`${seed}:examples:${part.name}`);
  return shuffled(part.cases, random)
    .slice(0, casesPerPart)
    .flatMap((one) => exampleOf(one, part, seed, random) ?? []);
}

function finished<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Tools ranked below this are so many that a part of them is enough. */
const closeRanks = Math.log1p(16);
const farShare = 1 / 3;

/** Collects rows with a label and a weight. */
class RowCollector {
  readonly #values: Float32Array[] = [];
  readonly #labels: number[] = [];
  readonly #weights: number[] = [];

  add(row: Float32Array, label: boolean, weight: number): void {
    this.#values.push(row);
    this.#labels.push(label ? 1 : 0);
    this.#weights.push(weight);
  }

  finish(): TrainingRows {
    const values = new Float32Array(this.#values.length * featureCount);
    this.#values.forEach((row, index) => values.set(row, index * featureCount));
    return {
      values,
      width: featureCount,
      labels: Uint8Array.from(this.#labels),
      weights: Float32Array.from(this.#weights),
    };
  }
}

/** Rows of a source as a table sees them that was trained without it. Every part counts alike, however many cases it has. */
export function rowsOf(source: Source, table: WordTable, options: ExampleOptions): TrainingRows {
  const random = seededRandom(`${options.seed}:rows:${source.name}`);
  const profiles = new Map<ToolDescription, ToolProfile>();
  const profileOf = (tool: ToolDescription): ToolProfile => {
    const profile = profiles.get(tool) ?? profileTool(table, tool, []);
    profiles.set(tool, profile);
    return profile;
  };
  const collector = new RowCollector();
  for (const part of source.parts) {
    const examples = examplesOf(part, options);
    const partWeight = options.casesPerPart / Math.max(options.casesPerPart / 3, examples.length);
    for (const { texts, tools, labels, hostile } of examples) {
      const read = tools.map(profileOf);
      for (const text of texts) {
        const rows = finished(computeFeatures(table, read, readQuery(table, text)));
        labels.forEach((label, index) => {
          const row = rows.slice(index * featureCount, (index + 1) * featureCount);
          const isFar = !label && (row[column.consensusRank] as number) > closeRanks;
          if (isFar && random() >= farShare) return;
          const kindWeight = (isFar ? 1 / farShare : 1) * (hostile.has(index) ? hostileWeight : 1);
          collector.add(row, label, (partWeight / texts.length) * kindWeight);
        });
      }
    }
  }
  return collector.finish();
}

/** Several sets of rows as one. */
export function joinRows(sets: readonly TrainingRows[]): TrainingRows {
  const count = sets.reduce((sum, { labels }) => sum + labels.length, 0);
  const joined = {
    values: new Float32Array(count * featureCount),
    width: featureCount,
    labels: new Uint8Array(count),
    weights: new Float32Array(count),
  };
  let row = 0;
  for (const { values, labels, weights } of sets) {
    joined.values.set(values, row * featureCount);
    joined.labels.set(labels, row);
    joined.weights.set(weights, row);
    row += labels.length;
  }
  return joined;
}
