/** Builds chat completions token by token, as servers send them. */

/** One token: its text, its probability or logprob, and the alternatives at its place. */
export interface TokenSpec {
  readonly token: string;
  readonly logprob: unknown;
  readonly top_logprobs?: unknown;
}

/** A token with the probabilities of its alternatives; its own is listed among them, as servers do. */
export function token(
  text: string,
  p: number,
  alternatives: Readonly<Record<string, number>> = {},
): TokenSpec {
  const all = { [text]: p, ...alternatives };
  return {
    token: text,
    logprob: Math.log(p),
    top_logprobs: Object.entries(all).map(([token, mass]) => ({ token, logprob: Math.log(mass) })),
  };
}

/** `{"answers":"1N 2Y"}` as most tokenizers split it, from p(yes) of each tool; number and mark are tokens of their own. */
export function answerTokens(probabilities: readonly number[]): TokenSpec[] {
  const marks = probabilities.flatMap((p, index) => [
    token(`${index === 0 ? "" : " "}${index + 1}`, 1),
    p >= 0.5 ? token("Y", p, { N: 1 - p }) : token("N", 1 - p, { Y: p }),
  ]);
  return [token('{"', 1), token("answers", 1), token('":"', 1), ...marks, token('"}', 1)];
}

/** A chat completion of these tokens; `over` replaces fields of choice 0. */
export function completion(
  tokens: readonly TokenSpec[],
  over: Readonly<Record<string, unknown>> = {},
) {
  const content = tokens.map(({ token }) => token).join("");
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    model: "stand-in-1",
    choices: [
      {
        index: 0,
        finish_reason: "stop",
        message: { role: "assistant", content, refusal: null },
        logprobs: { content: tokens, refusal: null },
        ...over,
      },
    ],
    usage: {
      prompt_tokens: 100,
      completion_tokens: 10,
      prompt_tokens_details: { cached_tokens: 64 },
    },
  };
}

/** A chat completion of text alone. */
export const textCompletion = (content: unknown, over: Readonly<Record<string, unknown>> = {}) =>
  completion([], {
    message: { role: "assistant", content, refusal: null },
    logprobs: null,
    ...over,
  });
