import { readFile } from "node:fs/promises";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { EmbeddedTextEncoder } from "../../src/encoder/text-encoder.js";
import { packedEncoder } from "../../src/encoder/weights.js";
import { createWordPiece } from "../../src/encoder/word-piece.js";

/** What the encoder gave before its weights were rounded. */
interface Reference {
  readonly text: string;
  readonly ids: readonly number[];
  readonly embedding: readonly number[];
}

const references = JSON.parse(
  await readFile(new URL("reference.json", import.meta.url), "utf8"),
) as readonly Reference[];

const load = async (): Promise<EmbeddedTextEncoder> => {
  const { loadTextEncoder } = await import("../../src/encoder/load-text-encoder.js");
  return loadTextEncoder();
};

beforeEach(() => {
  vi.resetModules();
});

describe("loadTextEncoder", () => {
  it("loads the weights once, whoever asks", async () => {
    const [one, other] = await Promise.all([load(), load()]);
    expect(one).toBe(other);
    expect(one.id).toBe(packedEncoder.id);
  });

  it("tries again after a failure", async () => {
    vi.doMock("../../src/encoder/weights.js", () => {
      throw new Error("connection lost");
    });
    const { loadTextEncoder } = await import("../../src/encoder/load-text-encoder.js");
    await expect(loadTextEncoder()).rejects.toThrow();
    vi.doUnmock("../../src/encoder/weights.js");
    await expect(loadTextEncoder()).resolves.toMatchObject({ id: packedEncoder.id });
  });
});

describe("the shipped encoder", () => {
  it("splits texts as its training did", () => {
    const wordPiece = createWordPiece(packedEncoder.vocabulary.split(" "));
    const { maxTokens } = packedEncoder.shape;
    for (const { text, ids } of references) {
      expect(wordPiece.encode(text, { maxTokens })).toEqual(ids);
    }
  });

  it("gives the vectors of the encoder that was trained: rounding turned them by little", async () => {
    const encoder = await load();
    const cosines = references.map(({ text, embedding }) => {
      const vector = encoder.encode(text);
      return embedding.reduce((sum, value, index) => sum + value * (vector[index] as number), 0);
    });
    expect(Math.min(...cosines)).toBeGreaterThan(0.98);
    expect(cosines.reduce((sum, cosine) => sum + cosine, 0) / cosines.length).toBeGreaterThan(
      0.995,
    );
  });

  it("takes no more than 15 MB", () => {
    const { units, numbers, vocabulary } = packedEncoder;
    expect(units.length + numbers.length + vocabulary.length).toBeLessThan(15_000_000);
  });
});
