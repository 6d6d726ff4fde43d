/**
 * What decision services answer to a tool search, by the words that query and options share; in
 * each protocol's own form.
 */

import type { RecordedRequest, Reply } from "./hostile-server.js";

/** The questions of a tool search, whatever the protocol. */
export interface ChoiceCall {
  readonly query: string;
  /** Text of each option, by label; none where the choice was not asked. */
  readonly options: ReadonlyMap<string, string>;
  /** The tools that the other question shows, as texts. */
  readonly tools: readonly string[];
}

export interface ChoiceVerdict {
  readonly applicable: number;
  readonly shares: ReadonlyMap<string, number>;
}

const readWords = (text: string): ReadonlySet<string> =>
  new Set(text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu));

/**
 * The more words an option shares with the query, the larger its share; without any shared word
 * none applies.
 */
export function decideByWords({ query, options, tools }: ChoiceCall): ChoiceVerdict {
  const asked = readWords(query);
  const texts = options.size > 0 ? [...options.values()] : tools;
  const overlaps = texts.map(
    (text) => [...readWords(text)].filter((word) => asked.has(word)).length,
  );
  const weights = overlaps.map((overlap) => 0.001 + overlap ** 2);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const shares = new Map(
    Array.from(options.keys(), (label, at) => [label, (weights[at] ?? 0) / sum]),
  );
  return { applicable: Math.max(...overlaps) > 0 ? 0.9 : 0.1, shares };
}

type Question = Readonly<Record<string, unknown>>;
const readTools = (instructions: unknown): readonly string[] =>
  (instructions as { tools: { name: string; description: string }[] }).tools.map(
    ({ name, description }) => `${name} ${description}`,
  );

/** Reads a request in the System One protocol. */
export function readChoiceCall(body: unknown): ChoiceCall {
  const { state, questions } = body as {
    state: { request: string };
    questions: Readonly<Record<string, Question>>;
  };
  const choice = Object.values(questions).find(({ type }) => type === "choice");
  const noul = Object.values(questions).find(({ type }) => type === "noul");
  return {
    query: state.request,
    options: new Map(Object.entries((choice?.["criteria"] ?? {}) as Record<string, string>)),
    tools: readTools(noul?.["instructions"]),
  };
}

/** The answers of the System One protocol. */
export function writeChoiceAnswers(body: unknown, { applicable, shares }: ChoiceVerdict): object {
  const { questions } = body as { questions: Readonly<Record<string, Question>> };
  return Object.fromEntries(
    Object.entries(questions).map(([id, { type }]) => [
      id,
      type === "noul"
        ? { type, noul: applicable }
        : {
            type,
            choice: [...shares].toSorted(([, a], [, b]) => b - a)[0]?.[0],
            probabilities: Object.fromEntries(shares),
            confidence: 0.5,
          },
    ]),
  );
}

type Decide = (call: ChoiceCall) => ChoiceVerdict;

/** Plays a System One service. */
export function answerChoice(decide: Decide = decideByWords): (request: RecordedRequest) => Reply {
  return ({ body }) => ({
    json: { model: "jev-1", answers: writeChoiceAnswers(body, decide(readChoiceCall(body))) },
  });
}

/** Plays the OpenAI Decisions endpoint. */
export function answerDecisions(
  decide: Decide = decideByWords,
): (request: RecordedRequest) => Reply {
  return ({ body }) => {
    const { input, questions } = body as { input: string; questions: readonly Question[] };
    const choice = questions.find(({ type }) => type === "choice");
    const predicate = questions.find(({ type }) => type === "predicate");
    const choices = (choice?.["choices"] ?? []) as { value: string; description: string }[];
    const { applicable, shares } = decide({
      query: (JSON.parse(input) as { request: string }).request,
      options: new Map(choices.map(({ value, description }) => [value, description])),
      tools: readTools(JSON.parse(String(predicate?.["instructions"]))),
    });
    const answers = questions.map(({ type, name }) =>
      type === "predicate"
        ? { type, name, probability: applicable }
        : {
            type,
            name,
            choice: choices[0]?.value,
            probabilities: Array.from(shares, ([value, probability]) => ({ value, probability })),
            confidence: 0.5,
          },
    );
    return { json: { model: "d-1", answers, usage: { input_tokens: 1, output_tokens: 0 } } };
  };
}
