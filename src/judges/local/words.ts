/** Turns names, prose and schemas into stems: splits camelCase, snake_case and digits, and drops words that carry no task. */

const stopWords: ReadonlySet<string> = new Set(
  (
    "a an the this that these those there here it its i me my mine we us our ours you your yours he him his she her hers they them their " +
    "is am are was were be been being do does did doing done have has had having will would shall should can could may might must " +
    "and or but nor so if then else than as at by for from in into of off on onto out over to up with without within about between through " +
    "what which who whom whose when where why how all any each few more most some such no not only own same too very just also " +
    "please could want need like let lets get got give tell show know help make sure using use used via e.g i.e etc s t d ll m re ve don doesn didn isn"
  ).split(" "),
);

const smallTalk: ReadonlySet<string> = new Set(
  (
    "hi hello hey hiya howdy greetings morning afternoon evening night good bye goodbye thanks thank thx cheers welcome sorry ok okay yes yeah yep " +
    "no nope sure fine great nice cool perfect awesome right correct exactly go ahead continue proceed again now done well lol haha"
  ).split(" "),
);

const wordPattern = /\p{Lu}+(?=\p{Lu}\p{Ll})|\p{Lu}?[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|\p{Lu}+|\p{N}+/gu;

/** Lower-case words of a text in order; camelCase, snake_case, punctuation and digits end a word. */
export function splitWords(text: string): string[] {
  return (
    text.replaceAll(/['’](?=s\b|t\b|ll\b|re\b|ve\b|d\b|m\b)/gu, " ").match(wordPattern) ?? []
  ).map((word) => word.toLowerCase());
}

/** True for a word that says nothing about the task: an article, a pronoun, an auxiliary. */
export function isStopWord(word: string): boolean {
  return stopWords.has(word) || (word.length === 1 && word < "0");
}

/** True for a greeting, thanks, or assent, which carries no request of its own. */
export function isSmallTalk(word: string): boolean {
  return smallTalk.has(word);
}

/** A light English stemmer: plurals, -ing, -ed, -ly, -tion and a final e; never shortens a word below three letters. */
export function stem(word: string): string {
  let root = word;
  if (root.length > 4 && root.endsWith("ies")) root = `${root.slice(0, -3)}y`;
  else if (root.length > 4 && /(?:ss|sh|ch|x|z)es$/.test(root)) root = root.slice(0, -2);
  else if (root.length > 3 && /[^sui]s$/.test(root)) root = root.slice(0, -1);
  for (const [ending, least] of suffixes) {
    if (root.length >= ending.length + least && root.endsWith(ending)) {
      root = undouble(root.slice(0, -ending.length));
      break;
    }
  }
  if (root.length > 3 && root.endsWith("e")) root = root.slice(0, -1);
  return root.length > 3 && root.endsWith("y") ? `${root.slice(0, -1)}i` : root;
}

const suffixes: readonly (readonly [string, number])[] = [
  ["ations", 3],
  ["ation", 3],
  ["ions", 4],
  ["ion", 4],
  ["ments", 4],
  ["ment", 4],
  ["ingly", 3],
  ["ings", 3],
  ["ing", 3],
  ["edly", 3],
  ["ed", 3],
  ["ers", 4],
  ["er", 4],
  ["ors", 4],
  ["or", 4],
  ["ally", 4],
  ["ly", 4],
];

function undouble(root: string): string {
  return /([bdfgmnprt])\1$/.test(root) ? root.slice(0, -1) : root;
}

/** Stems of a text without stop words, in order. */
export function stemsOf(text: string): string[] {
  return splitWords(text)
    .filter((word) => !isStopWord(word))
    .map(stem);
}
