/** Whether a request gives the judge anything to go by. Without evidence it abstains: nothing is rejected on ignorance. */

import type { ToolProfile } from "./tool-profile.js";
import { isSmallTalk, isStopWord, splitWords, stem } from "../../core/words.js";

/** Frequent words of other languages that are no English words. */
const foreignWords: ReadonlySet<string> = new Set(
  (
    "à le les du une est et avec quel quelle quels quelles je tu il elle nous vous ils dans sur pourquoi comment moi mon ma mes votre cette ces qui que dois peux puis fait " +
    "der das und ist nicht ein eine einen einer dem den mit auf für ich du sie wir ihr wie wo wann bitte kannst können mir mich mein meine auch noch von zu zum zur im " +
    "el los las hace tiempo mañana está más puedes necesito muéstrame dime un una y es con qué cuál cómo dónde cuándo yo él ella nosotros por para mi mis su sus puedo quiero este esta hay " +
    "il lo gli uno è e di che della nel sono come quale quando dove mio mia puoi vorrei questo questa " +
    "o os um uma é com não qual como onde quando eu ele ela nós em para meu minha você pode quero este esta " +
    "het een en van met niet ik je jij wij hoe waar wanneer welke mijn kan kunt voor naar zijn " +
    "jest nie jaka jutro jak gdzie kiedy moje proszę dla czy się na " +
    "och att skicka det är jag hur när var mitt för inte med på som " +
    "ve bir bugün yarın bu için nasıl nerede ne bana mi mı var yok ile " +
    "yang dan besok di ini itu untuk dengan saya apa bagaimana dari ke tidak bisa"
  ).split(" "),
);

/** Words in both lists' languages: they tell nothing. */
const ambiguous: ReadonlySet<string> = new Set(
  "me no on do as is in so am an at the a i das var come sur mine es en e o y um em di il ma mi je du den lo la na ne ve un mis per dan use ist ihr im".split(
    " ",
  ),
);

const letter = /\p{L}/u;
const latinLetter = /\p{Script=Latin}/u;
const beyondAscii = /\P{ASCII}/u;
/** More of a text is not looked at. */
const maxChars = 4000;
const leastLatinShare = 0.7;

function latinShare(text: string): number {
  let letters = 0;
  let latin = 0;
  for (const character of text) {
    if (!letter.test(character)) continue;
    letters += 1;
    if (latinLetter.test(character)) latin += 1;
  }
  return letters === 0 ? 1 : latin / letters;
}

/** Another language shows in its small words, or in its letters, where English small words do not outnumber them. */
function isForeign(words: readonly string[]): boolean {
  const isForeignWord = (word: string): boolean =>
    (foreignWords.has(word) && !ambiguous.has(word)) || beyondAscii.test(word);
  const foreign = words.filter(isForeignWord).length;
  const english = words.filter(
    (word) => word.length > 1 && isStopWord(word) && !ambiguous.has(word),
  ).length;
  return foreign > english;
}

/** Words that may carry a task. */
function listContent(words: readonly string[]): readonly string[] {
  return words.filter((word) => letter.test(word) && !isStopWord(word) && !isSmallTalk(word));
}

/** True for an English small word, or a word that a tool uses. */
function isKnown(word: string, tools: readonly ToolProfile[]): boolean {
  if (word.length > 1 && isStopWord(word) && !foreignWords.has(word)) return true;
  const root = stem(word);
  return tools.some(({ counts }) => counts.has(root));
}

/**
 * True for a text that this judge can go by: written in English, with more than greetings, assent and pronouns, and with a word
 * that is known to be English or that a tool uses.
 */
export function isTask(text: string, tools: readonly ToolProfile[]): boolean {
  const head = text.slice(0, maxChars);
  if (latinShare(head) < leastLatinShare) return false;
  const words = splitWords(head);
  if (isForeign(words) || listContent(words).length === 0) return false;
  return words.some((word) => isKnown(word, tools));
}
