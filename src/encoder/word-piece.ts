/** WordPiece: splits a text into the pieces of an uncased BERT vocabulary. */

/** Splits texts into ids of vocabulary pieces. */
export interface WordPiece {
  /**
   * The ids of a text between `[CLS]` and `[SEP]`, at most `maxTokens` of them, those two included.
   */
  encode(text: string, limits: TokenLimits): readonly number[];
}

/** How much of a text is read. */
export interface TokenLimits {
  /** At least 2. */
  readonly maxTokens: number;
  /** The part of a longer text that is read; the start by default. */
  readonly keep?: "start" | "end" | undefined;
}

/** Longer words are unknown as a whole, as in BERT. */
const maxWordLength = 100;

/**
 * No more of a text is read: some ten times the text that fills the longest input of an encoder.
 */
const maxTextLength = 16_384;

const control = /[^\P{C}\t\n\r]|\ufffd/gu;
const marks = /\p{Mn}/gu;

/**
 * A word: one ideograph, one punctuation mark or ASCII symbol, or a run of anything else but
 * blanks. The ranges of ideographs are BERT's.
 */
const ideographs =
  String.raw`\u{4e00}-\u{9fff}\u{3400}-\u{4dbf}\u{20000}-\u{2a6df}\u{2a700}-\u{2b81f}` +
  String.raw`\u{2b820}-\u{2ceaf}\u{f900}-\u{faff}\u{2f800}-\u{2fa1f}`;
const apart = String.raw`${ideographs}\p{P}$+<=>^\x60|~`;
const words = new RegExp(String.raw`[${apart}]|[^\s${apart}]+`, "gu");

/** Clean, without accents, in lower case. */
function normaliseText(text: string): string {
  return (
    text
      .replace(control, "")
      // Before the decomposition too: sorting thousands of marks on one letter takes quadratic
      // time.
      .replace(marks, "")
      .normalize("NFD")
      .replace(marks, "")
      // BERT lowers letter by letter, so it knows no final sigma.
      .replaceAll("Σ", "σ")
      .toLowerCase()
  );
}

/**
 * A tokeniser that agrees with BERT's: accents stripped, lower-cased, punctuation and ideographs
 * apart, then the longest pieces first. A word with a part that the vocabulary lacks is `[UNK]`.
 * Time is bounded on any input: only the first (or last) 16,384 characters are read; half a
 * character at the cut is dropped with the other control characters.
 *
 * @param vocabulary The pieces in the order of their ids, with `[UNK]`, `[CLS]` and `[SEP]` among
 * them.
 * @throws {RangeError} if one of these three is missing.
 * @example
 * const wordPiece = createWordPiece(["[UNK]", "[CLS]", "[SEP]", "time", "##zone"]);
 * wordPiece.encode("Timezone", { maxTokens: 64 }); // [1, 3, 4, 2]
 */
export function createWordPiece(vocabulary: readonly string[]): WordPiece {
  const ids = new Map(vocabulary.map((piece, id) => [piece, id]));
  const longest = vocabulary.reduce((most, { length }) => Math.max(most, length), 0);
  const unknown = idOf("[UNK]");
  const first = idOf("[CLS]");
  const last = idOf("[SEP]");

  function idOf(piece: string): number {
    const id = ids.get(piece);
    if (id === undefined) throw new RangeError(`The vocabulary lacks ${piece}.`);
    return id;
  }

  /** The longest piece that begins at `from`; `null` if there is none. */
  function matchPiece(word: string, from: number): { id: number; end: number } | null {
    const prefix = from === 0 ? "" : "##";
    for (let end = Math.min(word.length, from + longest); end > from; end -= 1) {
      const id = ids.get(prefix + word.slice(from, end));
      if (id !== undefined) return { id, end };
    }
    return null;
  }

  function splitWord(word: string): readonly number[] {
    if (word.length > maxWordLength && Array.from(word).length > maxWordLength) return [unknown];
    const pieces: number[] = [];
    for (let at = 0; at < word.length;) {
      const match = matchPiece(word, at);
      if (match === null) return [unknown];
      pieces.push(match.id);
      at = match.end;
    }
    return pieces;
  }

  /** Stops as soon as there are more than `enough` pieces. */
  function splitText(text: string, enough: number): readonly number[] {
    const pieces: number[] = [];
    for (const [word] of normaliseText(text).matchAll(words)) {
      if (pieces.length > enough) break;
      pieces.push(...splitWord(word));
    }
    return pieces;
  }

  return {
    encode(text, { maxTokens, keep }) {
      const room = maxTokens - 2;
      const pieces =
        keep === "end"
          ? splitText(text.slice(-maxTextLength), Number.POSITIVE_INFINITY).slice(-room)
          : splitText(text.slice(0, maxTextLength), room).slice(0, room);
      return [first, ...pieces, last];
    },
  };
}
