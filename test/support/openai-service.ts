/** What an OpenAI-compatible service answers, for the scripted server: half of the tools apply. */

import { answerTokens, completion } from "../judges/openai/completions.js";
import type { RecordedRequest, Reply } from "./hostile-server.js";

interface CompletionBody {
  readonly messages: readonly { readonly content: string }[];
}

interface DecisionsBody {
  readonly questions: readonly unknown[];
}

/** Marks every tool of the prompt: the first one no, the second one yes, and so on. */
export function answerCompletions({ body }: RecordedRequest): Reply {
  const [system] = (body as CompletionBody).messages;
  const count = system?.content.split("Tools:\n")[1]?.split("\n").length ?? 0;
  const probabilities = Array.from({ length: count }, (_, index) => (index % 2 === 0 ? 0.1 : 0.9));
  return { json: completion(answerTokens(probabilities)) };
}

/** Answers every question with one half. */
export function answerDecisions({ body }: RecordedRequest): Reply {
  const { questions } = body as DecisionsBody;
  return { json: { answers: questions.map(() => ({ type: "predicate", probability: 0.5 })) } };
}
