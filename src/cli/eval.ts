/** `toolsieve eval`: a judge on labelled cases. Recall is always printed beside what is hidden. */

import { appendFileSync, existsSync } from "node:fs";
import { defineCommand } from "citty";
import type { ArgsDef } from "citty";
import { InvalidOptionsError, ToolSieveError } from "../errors.js";
import type { Judge } from "../core/types.js";
import { parseCases } from "../evaluation/cases.js";
import type { LabelledCase } from "../evaluation/cases.js";
import { parseCatalog } from "../evaluation/catalog.js";
import type { Catalog } from "../evaluation/catalog.js";
import { evaluate } from "../evaluation/evaluate.js";
import type { Evaluation } from "../evaluation/evaluate.js";
import { seededRandom, shuffled } from "../evaluation/random.js";
import { parseRecording, recordingJudge, replayJudge } from "../evaluation/replay.js";
import {
  errorCode,
  integerArgument,
  readTextFile,
  refuseUnknown,
  required,
  runOrExplain,
} from "./command-line.js";
import { evaluationLines } from "./eval-text.js";
import { chooseJudge, judgeArguments } from "./judge-choice.js";
import type { JudgeChoice } from "./judge-choice.js";
import { repeated } from "./log-arguments.js";
import { createProgress } from "./progress.js";
import { printableJson } from "./terminal.js";
import { parseToolList, toCatalog } from "./tool-list.js";

const evalArguments = {
  catalog: {
    type: "string",
    valueHint: "FILE",
    description: "Tools: JSONL of {id?, name, description, parameters}, or a JSON list of tools",
  },
  cases: {
    type: "string",
    valueHint: "FILE…",
    description: "Labelled cases as JSONL; further files may follow",
  },
  ...judgeArguments,
  "catalog-size": {
    type: "string",
    default: "64",
    valueHint: "N",
    description: "Tools per catalog: those of the case and distractors from the catalog",
  },
  seed: { type: "string", default: "1", valueHint: "N", description: "Fixes which distractors" },
  context: {
    type: "string",
    default: "recent-window",
    valueHint: "STRATEGY",
    description: "What the judge sees: recent-window, latest-user-message, full-conversation",
  },
  limit: { type: "string", valueHint: "N", description: "Judge a sample of N cases only" },
  record: {
    type: "string",
    valueHint: "FILE",
    description: "Keep every judgment in FILE, and do not ask again for what it holds",
  },
  replay: {
    type: "string",
    valueHint: "FILE",
    description: "Take all judgments from FILE and ask no judge",
  },
  json: { type: "boolean", description: "Print JSON" },
} as const satisfies ArgsDef;

function parseAnyCatalog(text: string): Catalog {
  const tools = parseToolList(text);
  return tools === null ? parseCatalog(text) : toCatalog(tools);
}

/** The judge, or its recording, or both: what is recorded already is not asked again. */
async function openJudge(
  choice: JudgeChoice & {
    readonly record?: string | undefined;
    readonly replay?: string | undefined;
  },
): Promise<Judge> {
  const { record, replay } = choice;
  if (replay !== undefined) {
    if (record === undefined) return replayJudge(await readTextFile(replay, parseRecording));
    throw new InvalidOptionsError("Expected `--record` or `--replay`, got both.");
  }
  const judge = await chooseJudge(choice);
  if (record === undefined) return judge;
  const earlier = existsSync(record) ? await readTextFile(record, (text) => text) : "";
  const recording = earlier.trim() === "" ? undefined : parseRecording(earlier);
  append(record, earlier === "" || earlier.endsWith("\n") ? "" : "\n");
  return recordingJudge(judge, { recording, write: (line) => append(record, line) });
}

function append(path: string, text: string): void {
  try {
    appendFileSync(path, text);
  } catch (cause) {
    throw new ToolSieveError(`Cannot write ${path}: ${errorCode(cause)}.`, { cause });
  }
}

const strategies = ["recent-window", "latest-user-message", "full-conversation"] as const;

function parseStrategy(text: string): (typeof strategies)[number] {
  const strategy = strategies.find((one) => one === text);
  if (strategy !== undefined) return strategy;
  throw new InvalidOptionsError(
    `Expected \`--context\` to be ${strategies.join(", ")}, got \`${JSON.stringify(text.slice(0, 60))}\`.`,
  );
}

async function readCases(files: readonly string[]): Promise<readonly LabelledCase[]> {
  const read = await Promise.all(files.map((file) => readTextFile(file, parseCases)));
  const cases = read.flat();
  if (cases.length === 0) throw new ToolSieveError("The case files hold no case.");
  return cases;
}

function sample(
  cases: readonly LabelledCase[],
  limit: string | undefined,
  seed: number,
): readonly LabelledCase[] {
  if (limit === undefined) return cases;
  return shuffled(cases, seededRandom(`sample:${seed}`)).slice(
    0,
    integerArgument(limit, "limit", 1),
  );
}

function refuseUselessRun({ failures, firstFailure, cost, sets }: Evaluation): void {
  const cases = sets.at(-1)?.cases ?? 0;
  if (cases === 0) throw new ToolSieveError("There is nothing to measure: every case was skipped.");
  if (failures > 0 && failures >= cost.requests) {
    throw new ToolSieveError(`No judge call succeeded. The first failure: ${firstFailure ?? ""}`);
  }
}

/** Evaluates a judge on labelled cases. Exit codes: 0 ok, 2 usage or I/O error. */
export const evalCommand = defineCommand({
  meta: { name: "eval", description: "Evaluate a judge on labelled cases" },
  args: evalArguments,
  run: ({ args, rawArgs }) =>
    runOrExplain(async () => {
      refuseUnknown(rawArgs, evalArguments);
      const catalogFile = required(args.catalog, "--catalog", "a file of tools");
      required(args.cases, "--cases", "a file of labelled cases");
      const caseFiles = [...repeated(rawArgs, "cases"), ...args._];
      const seed = integerArgument(args.seed, "seed", 0);
      const catalogSize = integerArgument(args["catalog-size"], "catalog-size", 1);
      const catalog = await readTextFile(catalogFile, parseAnyCatalog);
      const cases = sample(await readCases(caseFiles), args.limit, seed);
      const judge = await openJudge(args);
      const progress = createProgress();
      const evaluation = await evaluate({
        judge,
        catalog,
        cases,
        catalogSize,
        seed,
        context: { strategy: parseStrategy(args.context) },
        onProgress: (done, total) => progress.update(`${done} of ${total} cases judged`),
      }).finally(() => progress.done());
      refuseUselessRun(evaluation);
      const text =
        args.json === true ? printableJson(evaluation) : evaluationLines(evaluation).join("\n");
      process.stdout.write(`${text}\n`);
    }),
});
