import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { writeWhole } from "../../src/cli/write-whole.js";
import { temporaryDirectory } from "../support/temporary-directory.js";

let folder: string;
beforeEach(async () => {
  folder = await temporaryDirectory();
});

describe("writeWhole", () => {
  it("replaces a file, and leaves nothing beside it", async () => {
    const path = join(folder, "page.html");
    await writeFile(path, "old");
    await writeWhole(path, "new");
    expect(await readFile(path, "utf8")).toBe("new");
    expect(await readdir(folder)).toEqual(["page.html"]);
  });

  it("says what is wrong, and leaves nothing, where it cannot write", async () => {
    await expect(writeWhole(join(folder, "no/page.html"), "x")).rejects.toThrow("ENOENT");
    await expect(writeWhole(folder, "x")).rejects.toThrow(/^Cannot write/);
    expect(await readdir(folder)).toEqual([]);
  });

  it("removes its draft on Ctrl-C: the old file stays", async () => {
    const path = join(folder, "page.html");
    await writeFile(path, "old");
    const exit = vi.spyOn(process, "exit").mockImplementation((() => undefined) as never);
    const text = "x".repeat(200_000_000);
    const writing = writeWhole(path, text).catch((error: unknown) => error);
    const isDraft = (name: string): boolean => name.endsWith(".tmp");
    while (!(await readdir(folder)).some(isDraft)) await new Promise((next) => setTimeout(next, 1));
    process.emit("SIGINT");
    expect(exit).toHaveBeenCalledWith(130);
    expect(await readdir(folder)).toEqual(["page.html"]);
    await writing;
    exit.mockRestore();
    expect(await readFile(path, "utf8")).toBe("old");
  });
});
