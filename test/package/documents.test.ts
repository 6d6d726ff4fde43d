/** The contributor's pages name files and folders that exist, and leave no room of `src` out. */

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { globSync } from "tinyglobby";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string): string => readFileSync(`${root}${path}`, "utf8");

const pages = ["docs/architecture.md", "CONTRIBUTING.md", "SECURITY.md"];
/** Stands for a file that does not exist yet. */
const placeholder = /KIND|my-/;

it.each(pages)("%s names existing files only", (page) => {
  const paths = read(page).match(/\b(?:src|test|docs|bench|training)\/[\w./-]*\w/g) ?? [];
  const missing = paths.filter((path) => !placeholder.test(path) && !existsSync(`${root}${path}`));
  expect(missing).toEqual([]);
});

it("docs/architecture.md has a line for every room of src", () => {
  const tree = read("docs/architecture.md");
  const rooms = globSync("src/*/", { cwd: root, onlyDirectories: true });
  const names = rooms.map((path) => path.replace("src/", ""));
  expect(names).toContain("core/");
  expect(names.filter((name) => !new RegExp(`^  ${name}`, "m").test(tree))).toEqual([]);
});

it("docs/architecture.md names existing files in its tree", () => {
  const tree = read("docs/architecture.md").split("```")[3] ?? "";
  const files = tree.match(/[\w-]+\.ts/g) ?? [];
  const known = new Set(
    globSync("src/**/*.ts", { cwd: root }).map((path) => path.split("/").at(-1)),
  );
  expect(files.length).toBeGreaterThan(20);
  expect(files.filter((file) => !known.has(file))).toEqual([]);
});
