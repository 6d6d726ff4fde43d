/** `toolsieve try`: a catalog and a request in, the selection out. */

import { defineCommand } from "citty";
import type { ArgsDef } from "citty";
import { InvalidOptionsError } from "../errors.js";
import type { Selection } from "../core/types.js";
import { createToolSelector } from "../selector/tool-selector.js";
import {
  integerArgument,
  readTextFile,
  refuseUnknown,
  required,
  runOrExplain,
} from "./command-line.js";
import { chooseJudge, judgeArguments } from "./judge-choice.js";
import { printableJson } from "./terminal.js";
import { parseTools } from "./tool-list.js";
import { selectionLines } from "./try-text.js";

const tryArguments = {
  request: { type: "positional", required: false, description: "What the user asks" },
  tools: {
    type: "string",
    valueHint: "FILE",
    description: "A JSON list of tools (OpenAI, Anthropic, MCP), {tools: […]}, or one tool a line",
  },
  ...judgeArguments,
  "on-uncertain": {
    type: "string",
    default: "keep",
    valueHint: "keep|fallback",
    description: "What doubt does: keep the tool in doubt, or restore the whole catalog",
  },
  "max-tools": { type: "string", default: "8", valueHint: "N", description: "Offer at most N" },
  "timeout-ms": {
    type: "string",
    default: "10000",
    valueHint: "N",
    description: "Budget of the judge; an agent's default is 2000",
  },
  all: { type: "boolean", description: "Show every hidden tool, not the most probable 15 alone" },
  json: { type: "boolean", description: "Print JSON" },
} as const satisfies ArgsDef;

function parseOnUncertain(value: string): "keep" | "fallback" {
  if (value === "keep" || value === "fallback") return value;
  throw new InvalidOptionsError(
    `Expected \`--on-uncertain\` to be keep or fallback, got \`${JSON.stringify(value.slice(0, 60))}\`.`,
  );
}

/** What `--json` prints: the outcome of every tool in catalog order, and the record's own numbers. */
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

/** Shows what a selector would offer for one request. Exit codes: 0 ok, 2 usage or I/O error. */
export const tryCommand = defineCommand({
  meta: { name: "try", description: "Select tools for one request" },
  args: tryArguments,
  run: ({ args, rawArgs }) =>
    runOrExplain(async () => {
      refuseUnknown(rawArgs, tryArguments);
      const file = required(args.tools, "--tools", "a file of tools");
      const request = required(args._.join(" "), "the request", "what a user asks, in quotes");
      const tools = await readTextFile(file, parseTools);
      const selector = createToolSelector({
        judge: await chooseJudge(args),
        mode: "enforce",
        onUncertain: parseOnUncertain(args["on-uncertain"]),
        maxTools: integerArgument(args["max-tools"], "max-tools", 1),
        timeoutMs: integerArgument(args["timeout-ms"], "timeout-ms", 1),
      });
      const selection = await selector.select({
        messages: [{ role: "user", text: request }],
        tools,
      });
      const text =
        args.json === true
          ? printableJson(toJson(selection))
          : selectionLines(selection, { request, showAll: args.all === true }).join("\n");
      process.stdout.write(`${text}\n`);
    }),
});
