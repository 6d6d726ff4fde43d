/** The judge that a command line names. Only the one that is named is loaded. */

import type { Command } from "commander";
import { InvalidOptionsError } from "../errors.js";
import type { Judge } from "../core/types.js";
import { parseChoice } from "./option-values.js";

const judges = ["local", "jev", "openai"] as const;

/** Options of every command with a judge. */
export interface JudgeChoice {
  readonly judge: (typeof judges)[number];
  readonly model?: string;
  readonly baseUrl?: string;
}

/** Adds the options of a judge to a command. */
export function addJudgeOptions(command: Command): Command {
  return command
    .option(
      "--judge <local|jev|openai>",
      "who judges: the embedded judge, TypeSafe Jev, or an OpenAI-compatible service",
      parseChoice("--judge", judges),
      "local",
    )
    .option("--model <NAME>", "model of a remote judge; --judge openai needs one")
    .option("--base-url <URL>", "address of a compatible service");
}

/**
 * Creates the judge. Remote ones take their key from the environment.
 *
 * @throws {InvalidOptionsError} if it lacks a model or a key.
 */
export async function chooseJudge({ judge, model, baseUrl }: JudgeChoice): Promise<Judge> {
  if (judge === "jev") {
    const { jevJudge } = await import("../judges/jev/jev-judge.js");
    return jevJudge({ model, baseURL: baseUrl });
  }
  if (judge === "openai") {
    if (model === undefined) {
      throw new InvalidOptionsError("Expected `--model` with `--judge openai`, got none.");
    }
    const { openaiJudge } = await import("../judges/openai/openai-judge.js");
    return openaiJudge({ model, baseURL: baseUrl });
  }
  const { localJudge } = await import("../judges/local/local-judge.js");
  return localJudge();
}
