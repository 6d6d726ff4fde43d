/**
 * What the lexical index knows of a tool: its words, pairs of neighbouring words and the letter
 * groups of its name, as hashes.
 */

import { fnv1a } from "../../core/hash.js";
import { read } from "../../core/read.js";
import { listSchemaProperties } from "../../core/schema-properties.js";
import type { ToolDescription } from "../../core/types.js";
import { isStopWord, splitWords, stem } from "../../core/words.js";

/**
 * How often a word counts, by where it stands. Chosen on the public catalogs that `bench/indexes`
 * measures.
 */
const fieldWeights = { name: 2, text: 1, parameter: 0.5, parameterText: 0.4, value: 0.5 } as const;

const limits = { nameChars: 300, textChars: 4000, parameterChars: 6000 } as const;

/** Salts that keep the three kinds of terms apart. */
const salts = { word: 1, pair: 2, letters: 3 } as const;

/** A tool as hashes of terms. A term stands once. */
export interface ToolTerms {
  readonly words: Uint32Array;
  /** How often each word occurs, by field weight. */
  readonly counts: Float32Array;
  /** Sum of the counts. */
  readonly length: number;
  readonly pairs: Uint32Array;
  readonly letters: Uint32Array;
}

const accents = /[\u0300-\u036f]/g;

/** Without the accents of European scripts: `café` is found by `cafe`. */
function foldAccents(word: string): string {
  return /^[\0-\x7f]*$/.test(word)
    ? word
    : word.normalize("NFD").replaceAll(accents, "").normalize("NFC");
}

/**
 * Scripts whose words are glued to particles or to each other: their words are also found by parts.
 */
const glued =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{M}]{3,}$/u;

function splitGlued(word: string): readonly string[] {
  if (!glued.test(word)) return [word];
  const parts = Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2));
  return [word, ...parts];
}

/** The stems of a text in order, stop words left out. */
export function listStems(text: string): readonly string[] {
  return splitWords(text)
    .filter((word) => !isStopWord(word))
    .map((word) => stem(foldAccents(word)))
    .flatMap(splitGlued);
}

export const hashWord = (stemmed: string): number => fnv1a(stemmed, salts.word);

/** Hashes of the pairs of neighbouring stems, each once. */
export function hashPairs(stems: readonly string[]): Uint32Array {
  const pairs = stems.slice(1).map((next, at) => fnv1a(`${stems[at]} ${next}`, salts.pair));
  return Uint32Array.from(new Set(pairs));
}

/**
 * Hashes of the groups of three letters or digits, each once: what finds `createissue` by `issue`.
 */
export function hashLetters(text: string): Uint32Array {
  const letters = text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "");
  const groups = new Set<number>();
  for (let at = 0; at + 3 <= letters.length; at += 1) {
    groups.add(fnv1a(letters.slice(at, at + 3), salts.letters));
  }
  return Uint32Array.from(groups);
}

function readText(value: unknown, maxChars: number): string {
  return typeof value === "string" ? value.slice(0, maxChars) : "";
}

interface ParameterTexts {
  readonly names: string;
  readonly texts: string;
  readonly values: string;
}

function readParameters(schema: unknown): ParameterTexts {
  const properties = listSchemaProperties(schema);
  const join = (texts: readonly string[]): string =>
    texts.join("\n").slice(0, limits.parameterChars);
  return {
    names: join(properties.map(({ name }) => name)),
    texts: join(properties.map(({ description }) => description)),
    values: join(properties.flatMap(({ values }) => values)),
  };
}

function collectToolTerms(tool: ToolDescription): ToolTerms {
  const nameText = tool.name.slice(0, limits.nameChars);
  const name = listStems(nameText);
  const text = listStems(
    `${readText(read(tool, "description"), limits.textChars)}\n${readText(read(tool, "group"), limits.nameChars)}`,
  );
  const parameters = readParameters(read(tool, "parameters"));
  const fields: readonly (readonly [stems: readonly string[], weight: number])[] = [
    [name, fieldWeights.name],
    [text, fieldWeights.text],
    [listStems(parameters.names), fieldWeights.parameter],
    [listStems(parameters.texts), fieldWeights.parameterText],
    [listStems(parameters.values), fieldWeights.value],
  ];
  const counts = new Map<number, number>();
  let length = 0;
  for (const [stems, weight] of fields) {
    length += stems.length * weight;
    for (const stemmed of stems) {
      const word = hashWord(stemmed);
      counts.set(word, (counts.get(word) ?? 0) + (/^\d+$/.test(stemmed) ? weight * 0.25 : weight));
    }
  }
  return {
    words: Uint32Array.from(counts.keys()),
    counts: Float32Array.from(counts.values()),
    length,
    // The empty stem keeps the last word of the name and the first of the text apart.
    pairs: hashPairs([...name, "", ...text]),
    letters: hashLetters(nameText),
  };
}

/** Of frozen tools, which stay as they are: sessions of many users mostly hold the same tools. */
const frozenTools = new WeakMap<ToolDescription, ToolTerms>();

/**
 * Reads a tool, a frozen one once. Its length in characters is bounded; a getter that throws counts
 * as an absent field.
 */
export function readToolTerms(tool: ToolDescription): ToolTerms {
  if (!Object.isFrozen(tool)) return collectToolTerms(tool);
  const terms = frozenTools.get(tool) ?? collectToolTerms(tool);
  frozenTools.set(tool, terms);
  return terms;
}
