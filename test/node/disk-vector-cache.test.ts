import { readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { diskVectorCache } from "toolsieve/node";
import { describe, expect, it } from "vitest";
import { createTextEncoder } from "../../src/encoder/text-encoder.js";
import { createVectorStore } from "../../src/encoder/vector-store.js";
import { randomEncoder } from "../support/random-encoder.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

const key = (digit: string): string => digit.repeat(64);
const bytes = (value: number): Uint8Array => new Uint8Array([value, 2, 3]);

describe("diskVectorCache", () => {
  it("gives back what was saved, also to another process", async () => {
    const folder = join(await temporaryDirectory(), "a/b");
    expect(await diskVectorCache(folder).load(key("a"))).toBeNull();
    await diskVectorCache(folder).save(key("a"), bytes(1));
    expect(new Uint8Array((await diskVectorCache(folder).load(key("a"))) ?? [])).toEqual(bytes(1));
    expect(await readdir(folder)).toEqual([`${key("a")}.vector`]);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
  });

  it("replaces a file in one step", async () => {
    const folder = await temporaryDirectory();
    const cache = diskVectorCache(folder);
    await Promise.all([1, 2, 3, 4].map((value) => cache.save(key("a"), bytes(value))));
    const found = await cache.load(key("a"));
    expect(found).toHaveLength(3);
    expect(await readdir(folder)).toEqual([`${key("a")}.vector`]);
  });

  it("removes the oldest files when there are too many, and leaves the files of others alone", async () => {
    const folder = await temporaryDirectory();
    await writeFile(join(folder, "notes.txt"), "mine");
    const cache = diskVectorCache(folder, { maxFiles: 3 });
    for (const [index, digit] of ["a", "b", "c"].entries()) {
      await cache.save(key(digit), bytes(index));
      await utimes(join(folder, `${key(digit)}.vector`), index, index);
    }
    await Promise.all([cache.save(key("d"), bytes(4)), cache.save(key("e"), bytes(5))]);
    await cache.save(key("f"), bytes(6));
    const left = await readdir(folder);
    expect(left).not.toContain(`${key("a")}.vector`);
    expect(left).toContain("notes.txt");
    expect(left.length).toBeLessThanOrEqual(4);
    expect(await cache.load(key("f"))).not.toBeNull();
  });

  it.each(["../../etc/passwd", "", key("A"), `${key("a")}/x`])("knows no key %j", async (wrong) => {
    const folder = await temporaryDirectory();
    await diskVectorCache(folder).save(wrong, bytes(1));
    expect(await diskVectorCache(folder).load(wrong)).toBeNull();
    expect(await readdir(folder).catch(() => [])).toEqual([]);
  });

  it("rejects when it cannot write, and a store computes all the same", async () => {
    const folder = join(await temporaryDirectory(), "file");
    await writeFile(folder, "in the way");
    const cache = diskVectorCache(folder);
    await expect(cache.save(key("a"), bytes(1))).rejects.toThrow("EEXIST");
    const encoder = await createTextEncoder(randomEncoder());
    const store = createVectorStore({ encoder: async () => encoder, cache });
    await store.prepare(["a"]);
    expect(store.get("a")).toEqual(encoder.encode("a"));
  });

  it("takes a damaged file for a miss, and writes it anew", async () => {
    const folder = await temporaryDirectory();
    const encoder = await createTextEncoder(randomEncoder());
    const prepare = async (): Promise<void> => {
      const store = createVectorStore({
        encoder: async () => encoder,
        cache: diskVectorCache(folder),
      });
      await store.prepare(["a"]);
      expect(store.get("a")).toEqual(encoder.encode("a"));
    };
    await prepare();
    await expect.poll(() => readdir(folder)).toHaveLength(1);
    const path = join(folder, (await readdir(folder))[0] ?? "");
    const whole = await readFile(path);
    await writeFile(path, whole.subarray(0, 100));
    await prepare();
    await expect.poll(() => readFile(path)).toEqual(whole);
  });

  it.each([[""], ["a\0b"]])("refuses the path %j", (path) => {
    expect(() => diskVectorCache(path)).toThrow("Expected `folder`");
  });
});
