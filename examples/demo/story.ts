/** The story of the demo: what the user says, and what a model would do about it. */

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** A tool call of the script. */
export interface ScriptedCall {
  readonly name: string;
  readonly args: Record<string, unknown>;
}

/** One message of the user: the steps of the scripted model, each one or more calls, and its last words. */
export interface StoryTurn {
  readonly user: string;
  readonly steps: readonly (readonly ScriptedCall[])[];
  readonly answer: string;
}

const releaseNotes = `# Release 4.2

- [x] Migration tested
- [ ] Changelog written
- [ ] Payments signed off by its owner
`;

/** Writes the files that the story is about. */
export async function writeWorkspace(folder: string): Promise<void> {
  await mkdir(join(folder, "notes"));
  await mkdir(join(folder, "invoices"));
  await writeFile(join(folder, "notes", "release.md"), releaseNotes);
  await writeFile(join(folder, "invoices", "july.txt"), "Hosting, July: 1250\n");
  await writeFile(join(folder, "invoices", "august.txt"), "Hosting, August: 890\n");
}

/**
 * The conversation. The calls are what each request needs, in the order in which an agent would make them; they know nothing
 * of what a judge thinks. Some needs are not in the words of the request: those are where a selection can go wrong.
 */
export function createStory(folder: string): readonly StoryTurn[] {
  const at = (...path: string[]): string => join(folder, ...path);
  return [
    {
      user: "Read notes/release.md and tell me what is still open before the release.",
      steps: [[{ name: "filesystem__read_text_file", args: { path: at("notes", "release.md") } }]],
      answer: "Two points are open: the changelog, and the sign-off of payments by its owner.",
    },
    {
      user: "Add to the knowledge graph: Dana owns the payments service.",
      steps: [
        [
          {
            name: "memory__create_entities",
            args: {
              entities: [
                {
                  name: "payments",
                  entityType: "service",
                  observations: ["Owned by Dana"],
                },
              ],
            },
          },
        ],
      ],
      answer: "Noted: Dana owns payments.",
    },
    {
      user: "List the directory invoices, and tell me how much its files come to together.",
      steps: [
        [{ name: "filesystem__list_directory", args: { path: at("invoices") } }],
        [
          {
            name: "filesystem__read_multiple_files",
            args: { paths: [at("invoices", "july.txt"), at("invoices", "august.txt")] },
          },
        ],
        [{ name: "everything__get-sum", args: { a: 1250, b: 890 } }],
      ],
      answer: "Two files, july.txt and august.txt; together they come to 2140.",
    },
    {
      user: "Write the open points as a checklist to notes/checklist.md.",
      steps: [
        [{ name: "filesystem__list_allowed_directories", args: {} }],
        [
          {
            name: "filesystem__write_file",
            args: {
              path: at("notes", "checklist.md"),
              content: "- [ ] Changelog\n- [ ] Sign-off of payments (Dana)\n",
            },
          },
        ],
      ],
      answer: "The checklist is in notes/checklist.md.",
    },
    {
      user: "Search the knowledge graph: who has to sign off payments?",
      steps: [[{ name: "memory__search_nodes", args: { query: "payments" } }]],
      answer: "Dana, who owns the payments service.",
    },
    { user: "Thanks, that is all for today.", steps: [], answer: "You are welcome." },
  ];
}
