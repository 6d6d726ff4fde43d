/** The judge that a command line names. Only the one that is named is loaded. */

import { InvalidOptionsError } from "../errors.js";
import type { Judge } from "../core/types.js";

/** Options that every command with a judge takes. */
export const judgeArguments = {
  judge: {
    type: "string",
    valueHint: "local|jev|openai",
    default: "local",
    description: "Who judges: the embedded judge, TypeSafe Jev, or an OpenAI-compatible service",
  },
  model: { type: "string", description: "Model of a remote judge; --judge openai needs one" },
  "base-url": { type: "string", description: "Address of a compatible service" },
} as const;

export interface JudgeChoice {
  readonly judge: string;
  readonly model?: string | undefined;
  readonly "base-url"?: string | undefined;
}

/**
 * Creates the judge. Remote ones take their key from the environment.
 *
 * @throws {InvalidOptionsError} if there is no such judge, or it lacks a model or a key.
 */
export async function chooseJudge({
  judge,
  model,
  "base-url": baseURL,
}: JudgeChoice): Promise<Judge> {
  const address = baseURL === undefined ? {} : { baseURL };
  switch (judge) {
    case "local": {
      const { localJudge } = await import("../judges/local/local-judge.js");
      return localJudge();
    }
    case "jev": {
      const { jevJudge } = await import("../judges/jev/jev-judge.js");
      return jevJudge({ ...address, ...(model === undefined ? {} : { model }) });
    }
    case "openai": {
      if (model === undefined) {
        throw new InvalidOptionsError("Expected `--model` with `--judge openai`, got none.");
      }
      const { openaiJudge } = await import("../judges/openai/openai-judge.js");
      return openaiJudge({ ...address, model });
    }
    default:
      throw new InvalidOptionsError(
        `Expected \`--judge\` to be local, jev or openai, got \`${JSON.stringify(judge.slice(0, 60))}\`.`,
      );
  }
}
