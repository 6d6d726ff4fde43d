/**
 * Turns names, prose and schemas into stems: camelCase, snake_case, punctuation and digits end a
 * word.
 */

import { read } from "./read.js";

const stopWords: ReadonlySet<string> = new Set(
  (
    "a an the this that these those there here it its i me my mine we us our ours you your yours he him his she her hers they them their " +
    "is am are was were be been being do does did doing done have has had having will would shall should can could may might must " +
    "and or but nor so if then else than as at by for from in into of off on onto out over to up with without within about between through " +
    "what which who whom whose when where why how all any each few more most some such no not only own same too very just also " +
    "please want need like let lets got give tell show know help make sure use used via eg ie etc " +
    "don doesn didn isn aren wasn won ll re ve"
  ).split(" "),
);

const smallTalk: ReadonlySet<string> = new Set(
  (
    "hi hello hey hiya howdy greetings morning afternoon evening night day good bye goodbye thanks thank thx cheers welcome sorry ok okay yes yeah yep " +
    "nope sure fine great nice cool perfect awesome right correct exactly go ahead continue proceed again now well lol haha much lot today later see soon"
  ).split(" "),
);

const wordPattern = /\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|\p{Lu}+|\p{N}+/gu;

const contraction = /['’](?=(?:s|t|ll|re|ve|d|m)\b)/gu;

/** Scripts that are written without spaces between words. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

const notAscii = /[^\0-\x7f]/;

/** `null` on a host without `Intl.Segmenter`: a run of such a script then stays one word. */
let segmenter: Intl.Segmenter | null | undefined;

function getSegmenter(): Intl.Segmenter | null {
  if (segmenter === undefined) {
    const isThere = typeof read(globalThis.Intl, "Segmenter") === "function";
    segmenter = isThere ? new Intl.Segmenter("en", { granularity: "word" }) : null;
  }
  return segmenter;
}

/** The words within a run of letters; more than one only in scripts without spaces. */
function segment(run: string): readonly string[] {
  if (!unspaced.test(run)) return [run];
  const segments = getSegmenter()?.segment(run);
  return segments === undefined ? [run] : Array.from(segments, ({ segment }) => segment);
}

/**
 * Words of a text in lower case and in order. Full-width and other compatibility forms become plain
 * ones (Unicode NFKC); Chinese, Japanese, Thai and their like are cut into words by the dictionary
 * of the host.
 */
export function splitWords(text: string): string[] {
  const plain = notAscii.test(text) ? text.normalize("NFKC") : text;
  const words = plain.replaceAll(contraction, " ").match(wordPattern) ?? [];
  const lower = words.map((word) => word.toLowerCase());
  return notAscii.test(plain) ? lower.flatMap(segment) : lower;
}

/**
 * True for a word that says nothing about a task: an article, a pronoun, an auxiliary, a single
 * letter.
 */
export function isStopWord(word: string): boolean {
  return stopWords.has(word) || (word.length === 1 && word >= "a" && word <= "z");
}

/** True for a greeting, thanks, or assent, which carries no request of its own. */
export function isSmallTalk(word: string): boolean {
  return smallTalk.has(word);
}

const suffixes: readonly (readonly [string, string])[] = [
  ["ations", "at"],
  ["ation", "at"],
  ["tions", "t"],
  ["tion", "t"],
  ["sions", "s"],
  ["sion", "s"],
  ["ators", "at"],
  ["ator", "at"],
  ["ments", ""],
  ["ment", ""],
  ["ingly", ""],
  ["ings", ""],
  ["ing", ""],
  ["edly", ""],
  ["ed", ""],
  ["ers", ""],
  ["er", ""],
  ["ors", ""],
  ["or", ""],
  ["ally", "al"],
  ["ly", ""],
];
const leastRoot = 4;

function singular(word: string): string {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && /(?:ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2);
  return word.length > 3 && /[^sui]s$/.test(word) ? word.slice(0, -1) : word;
}

function withoutSuffix(word: string): string {
  for (const [suffix, replacement] of suffixes) {
    if (!word.endsWith(suffix)) continue;
    const root = word.slice(0, -suffix.length) + replacement;
    if (root.length < leastRoot && !(root.length === 3 && suffix.endsWith("ing"))) return word;
    return /([bdfgmnprt])\1$/.test(root) ? root.slice(0, -1) : root;
  }
  return word;
}

/** A light English stemmer: plurals, -ing, -ed, -er, -ly, -tion, -ment and a final e or y. */
export function stem(word: string): string {
  if (word.length < 4) return word;
  const root = withoutSuffix(singular(word));
  if (root.length > 3 && root.endsWith("e")) return root.slice(0, -1);
  return root.length > 3 && root.endsWith("y") ? `${root.slice(0, -1)}i` : root;
}
