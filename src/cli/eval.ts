/** `toolsieve eval`: a judge on labelled cases. Recall is always printed beside what is hidden. */

import { appendFileSync, existsSync } from "node:fs";
import type { Command } from "commander";
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
import { createCommand, describeFileError, printResult, readTextFile } from "./command.js";
import { describeEvaluation } from "./describe-evaluation.js";
import { addJudgeOptions, chooseJudge } from "./judge-choice.js";
import type { JudgeChoice } from "./judge-choice.js";
import { parseChoice, parseInteger, requireValue } from "./option-values.js";
import { createProgress } from "./progress.js";
import { formatJson } from "./terminal.js";
import { parseToolList, toCatalog } from "./tool-list.js";

const strategies = ["recent-window", "latest-user-message", "full-conversation"] as const;

interface EvalOptions extends JudgeChoice {
  readonly catalog?: string;
  readonly cases?: readonly string[];
  readonly catalogSize: number;
  readonly seed: number;
  readonly context: (typeof strategies)[number];
  readonly limit?: number;
  readonly record?: string;
  readonly replay?: string;
  readonly json?: true;
}

function parseAnyCatalog(text: string): Catalog {
  const tools = parseToolList(text);
  return tools === null ? parseCatalog(text) : toCatalog(tools);
}

/** The judge, or its recording, or both: a recorded judgment is not asked for again. */
async function openJudge(options: EvalOptions): Promise<Judge> {
  const { record, replay } = options;
  if (replay !== undefined) {
    if (record === undefined) return replayJudge(await readTextFile(replay, parseRecording));
    throw new InvalidOptionsError("Expected `--record` or `--replay`, got both.");
  }
  const judge = await chooseJudge(options);
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
    throw new ToolSieveError(`Cannot write ${path}: ${describeFileError(cause)}.`, { cause });
  }
}

async function readCases(files: readonly string[]): Promise<readonly LabelledCase[]> {
  const read = await Promise.all(files.map((file) => readTextFile(file, parseCases)));
  const cases = read.flat();
  if (cases.length === 0) throw new ToolSieveError("The case files hold no case.");
  return cases;
}

function drawSample(
  cases: readonly LabelledCase[],
  { limit, seed }: EvalOptions,
): readonly LabelledCase[] {
  if (limit === undefined) return cases;
  return shuffled(cases, seededRandom(`sample:${seed}`)).slice(0, limit);
}

function refuseUselessRun({ failures, firstFailure, cost, sets }: Evaluation): void {
  const cases = sets.at(-1)?.cases ?? 0;
  if (cases === 0) throw new ToolSieveError("There is nothing to measure: every case was skipped.");
  if (failures > 0 && failures >= cost.requests) {
    throw new ToolSieveError(`No judge call succeeded. The first failure: ${firstFailure ?? ""}`);
  }
}

async function evaluateJudge(options: EvalOptions): Promise<void> {
  const { catalogSize, seed, context } = options;
  const catalogFile = requireValue(options.catalog, "--catalog", "a file of tools");
  const caseFiles = requireValue(options.cases, "--cases", "a file of labelled cases");
  const catalog = await readTextFile(catalogFile, parseAnyCatalog);
  const cases = drawSample(await readCases(caseFiles), options);
  const judge = await openJudge(options);
  const progress = createProgress();
  const evaluation = await evaluate({
    judge,
    catalog,
    cases,
    catalogSize,
    seed,
    context: { strategy: context },
    onProgress: (done, total) => progress.update(`${done} of ${total} cases judged`),
  }).finally(() => progress.done());
  refuseUselessRun(evaluation);
  printResult(
    options.json === true ? formatJson(evaluation) : describeEvaluation(evaluation).join("\n"),
  );
}

/** Evaluates a judge on labelled cases. Exit codes: 0 ok, 2 usage or I/O error. */
export function createEvalCommand(): Command {
  const command = createCommand("eval", "a judge on labelled cases")
    .option(
      "--catalog <FILE>",
      "tools: JSONL of {id?, name, description, parameters}, or a JSON list of tools",
    )
    .option("--cases <FILE...>", "labelled cases as JSONL");
  return addJudgeOptions(command)
    .option(
      "--catalog-size <N>",
      "tools per catalog: those of the case and distractors from the catalog",
      parseInteger("--catalog-size", 1),
      64,
    )
    .option("--seed <N>", "fixes which distractors", parseInteger("--seed", 0), 1)
    .option(
      "--context <STRATEGY>",
      `what the judge sees: ${strategies.join(", ")}`,
      parseChoice("--context", strategies),
      "recent-window",
    )
    .option("--limit <N>", "judge a sample of N cases only", parseInteger("--limit", 1))
    .option(
      "--record <FILE>",
      "keep every judgment in FILE, and do not ask again for what it holds",
    )
    .option("--replay <FILE>", "take all judgments from FILE and ask no judge")
    .option("--json", "print JSON")
    .action(evaluateJudge);
}
