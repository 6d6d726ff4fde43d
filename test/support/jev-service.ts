/** What a System One service answers, for the scripted server: probabilities by tool name, in the protocol's own form. */

import type { RecordedRequest, Reply } from "./hostile-server.js";

export interface JevQuestion {
  readonly type: string;
  readonly instructions: {
    readonly question: string;
    readonly tool: {
      readonly name: string;
      readonly description: string;
      readonly parameters?: string;
    };
  };
  readonly criteria: { readonly true: string; readonly false: string };
}

export interface JevBody {
  readonly model: string;
  readonly state: {
    readonly request: string;
    readonly recent: readonly { readonly role: string; readonly text: string }[];
  };
  readonly questions: Readonly<Record<string, JevQuestion>>;
}

/** The body of a request to the service, and its questions in order. */
export function readJevRequest(request: RecordedRequest | undefined): {
  readonly body: JevBody;
  readonly questions: readonly (readonly [string, JevQuestion])[];
} {
  const body = request?.body as JevBody;
  return { body, questions: Object.entries(body.questions) };
}

/** Answers every question: tools named in `applicable` with 0.97, others with 0.02. */
export function answerJev(...applicable: readonly string[]): (request: RecordedRequest) => Reply {
  return (request) => {
    const { body, questions } = readJevRequest(request);
    return {
      headers: { "x-typesafe-request-id": "req_1" },
      json: {
        model: body.model,
        answers: Object.fromEntries(
          questions.map(([id, { instructions }]) => [
            id,
            { type: "noul", noul: applicable.includes(instructions.tool.name) ? 0.97 : 0.02 },
          ]),
        ),
        usage: { input_tokens: 141, output_tokens: 35 },
      },
    };
  };
}
