/** `toolsieve try`: a catalog and a request in, the selection out. */

import type { Command } from "commander";
import type { Selection } from "../core/types.js";
import { createCommand, printResult, readTextFile } from "./command.js";
import { addJudgeOptions, chooseJudge } from "./judge-choice.js";
import type { JudgeChoice } from "./judge-choice.js";
import { parseChoice, parseInteger, requireValue } from "./option-values.js";
import { formatJson } from "./terminal.js";
import { parseTools } from "./tool-list.js";
import { describeSelection } from "./describe-selection.js";

interface TryOptions extends JudgeChoice {
  readonly tools?: string;
  readonly onUncertain: "keep" | "fallback";
  readonly maxTools: number;
  readonly timeoutMs: number;
  readonly all?: true;
  readonly json?: true;
}

/** The outcome of every tool in catalog order, and the record's own numbers. */
function toJson({ status, reason, fallback, record }: Selection): unknown {
  return {
    judge: record.judge,
    policy: record.policy,
    status,
    reason,
    fallback,
    catalog: record.catalog,
    selected: record.suggested,
    error: record.error,
    tools: record.tools,
  };
}

async function tryRequest(words: readonly string[], options: TryOptions): Promise<void> {
  const file = requireValue(options.tools, "--tools", "a file of tools");
  const text = words.join(" ").trim();
  const request = requireValue(text, "the request", "what a user asks, in quotes");
  const tools = await readTextFile(file, parseTools);
  const { onUncertain, maxTools, timeoutMs } = options;
  const { createToolSelector } = await import("../selector/tool-selector.js");
  const selector = createToolSelector({
    judge: await chooseJudge(options),
    mode: "enforce",
    onUncertain,
    maxTools,
    timeoutMs,
  });
  const selection = await selector.select({ messages: [{ role: "user", text: request }], tools });
  printResult(
    options.json === true
      ? formatJson(toJson(selection))
      : describeSelection(selection, { request, showAll: options.all === true }).join("\n"),
  );
}

/** Shows what a selector would offer for one request. Exit codes: 0 ok, 2 usage or I/O error. */
export function createTryCommand(): Command {
  const command = createCommand("try", "a catalog and a request in, the selection out")
    .argument("[REQUEST...]", "what the user asks")
    .option(
      "--tools <FILE>",
      "a JSON list of tools (OpenAI, Anthropic, MCP), {tools: […]}, or one tool a line",
    );
  return addJudgeOptions(command)
    .option(
      "--on-uncertain <keep|fallback>",
      "what doubt does: keep the tool in doubt, or restore the whole catalog",
      parseChoice("--on-uncertain", ["keep", "fallback"]),
      "keep",
    )
    .option("--max-tools <N>", "offer at most N", parseInteger("--max-tools", 1), 8)
    .option(
      "--timeout-ms <N>",
      "budget of the judge; an agent's default is 2000",
      parseInteger("--timeout-ms", 1),
      10_000,
    )
    .option("--all", "show every hidden tool, not the most probable 15 alone")
    .option("--json", "print JSON")
    .action(tryRequest);
}
