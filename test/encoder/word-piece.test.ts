import { Tokenizer } from "@huggingface/tokenizers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createWordPiece } from "../../src/encoder/word-piece.js";

const vocabulary = [
  ..."[PAD] [UNK] [CLS] [SEP] time ##zone ##s cafe re use the 明 日 の は ? ! . , - ' $ ^ ` _ & x y".split(
    " ",
  ),
  ..."abcdefghijklmnopqrstuvwxyz0123456789σλßøł"
    .split("")
    .flatMap((letter) => [letter, `##${letter}`]),
];
const wordPiece = createWordPiece(vocabulary);

const pieces = (text: string, limits: { maxTokens: number; keep?: "start" | "end" }): string =>
  wordPiece
    .encode(text, limits)
    .map((id) => vocabulary[id])
    .join(" ");

const whole = (text: string): string => pieces(text, { maxTokens: 512 }).slice(6, -6);

/** BERT's tokeniser as Hugging Face publishes it, over the same vocabulary. */
const reference = new Tokenizer(
  {
    version: "1.0",
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: {
      type: "BertNormalizer",
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: "BertPreTokenizer" },
    post_processor: null,
    decoder: null,
    model: {
      type: "WordPiece",
      unk_token: "[UNK]",
      continuing_subword_prefix: "##",
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(vocabulary.map((piece, id) => [piece, id])),
    },
  },
  {},
);

describe("createWordPiece", () => {
  it.each([
    ["the longest pieces first", "Timezones", "time ##zone ##s"],
    ["accents", "CAFÉ cafe\u0301", "cafe cafe"],
    ["punctuation", "re-use, 'the'?!", "re - use , ' the ' ? !"],
    ["symbols of ASCII", "x^y`$_&", "x ^ y ` $ _ &"],
    ["ideographs", "明日time", "明 日 time"],
    ["a word with an unknown letter", "time☃zone the", "[UNK] the"],
    ["control characters", "ti\u0000me\u200b\ufffd the", "time the"],
    ["half a surrogate pair", "ti\ud83dme \udc00the", "time the"],
    ["final sigma", "ΛΣ", "λ ##σ"],
    ["blanks of every kind", " time\u00a0the\u3000the\n\tthe\u2028the", "time the the the the"],
    ["nothing", "", ""],
    ["a word of 100 characters", "a".repeat(100), `a${" ##a".repeat(99)}`],
    ["a word of 10,000 characters", `${"a".repeat(10_000)} the`, "[UNK] the"],
  ])("reads %s", (_, text, expected) => {
    expect(whole(text).trim()).toBe(expected);
  });

  it.each([
    ["start", "[CLS] time the [SEP]"],
    ["end", "[CLS] use x [SEP]"],
  ] as const)("keeps the %s of a longer text", (keep, expected) => {
    expect(pieces("time the re use x", { maxTokens: 4, keep })).toBe(expected);
  });

  // The port to JavaScript knows final sigmas and leaves rare ideographs together; the original, in
  // Rust, does neither.
  it("agrees with the tokeniser of Hugging Face on any text", () => {
    const letters = fc.constantFrom(
      "time",
      "zones",
      "Café",
      "é",
      "σ",
      "ß",
      "İ",
      "明",
      " ",
      "\t",
      "-",
      "'",
      "$",
      "A",
      "q",
      "7",
      "☃",
      "😀",
      "\u0301",
      "\u200d",
      "\u0000",
      "ｱ",
      "ﬁ",
      "।",
      "Ⅷ",
    );
    const text = fc.oneof(
      fc.array(letters, { maxLength: 30 }).map((parts) => parts.join("")),
      fc.string({ unit: "grapheme" }),
    );
    fc.assert(
      fc.property(
        text.filter((text) => !/Σ|[\u{20000}-\u{2fa1f}]/u.test(text)),
        (text) => {
          const { ids } = reference.encode(text, { add_special_tokens: false });
          expect(wordPiece.encode(text, { maxTokens: 512 }).slice(1, -1)).toEqual([...ids]);
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each([
    ["blanks", " ".repeat(50_000)],
    ["one word", "a".repeat(50_000)],
    ["words of 100 letters with an unknown end", `${"ab".repeat(49)}☃ `.repeat(500)],
    ["marks on one letter", `a${"\u0301\u0316".repeat(25_000)}`],
    ["spacing marks on one letter", `a${"\u{1d165}\u302e".repeat(16_000)}`],
    ["letters that decompose", "ΐ".repeat(50_000)],
    ["half surrogate pairs", "\ud83d".repeat(50_000)],
    ["ideographs", "明".repeat(50_000)],
  ])("takes bounded time on 50,000 characters of %s", (_, text) => {
    for (const keep of ["start", "end"] as const) {
      const start = performance.now();
      const ids = wordPiece.encode(text, { maxTokens: 64, keep });
      expect(performance.now() - start).toBeLessThan(250);
      expect(ids.length).toBeLessThanOrEqual(64);
    }
  });

  it("refuses a vocabulary without the special pieces", () => {
    expect(() => createWordPiece(["[UNK]", "[CLS]"])).toThrow("The vocabulary lacks [SEP].");
  });
});
