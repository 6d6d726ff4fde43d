/** The contract that every judge keeps, as a test suite for your own: runs under vitest, jest, or `node:test`. */

import type { Judge, JudgeRequest, JudgeResponse, ToolDescription } from "../core/types.js";
import { isValidAnswer } from "../core/verdict.js";
import {
  declareContract,
  freezeDeep,
  hostileNames,
  unserialisableTools,
  type Contract,
  type TestRunner,
} from "./contract.js";

export interface JudgeContractOptions {
  /** A new judge for each test, able to answer: a remote one needs its service, or a stand-in. */
  readonly createJudge: () => Judge | Promise<Judge>;
  /** Runs after each test, for whatever `createJudge` started. */
  readonly cleanUp?: () => void | Promise<void>;
  /**
   * How long a judge may take to give up after an abort, in milliseconds.
   * @default 1000
   */
  readonly abortWithinMs?: number;
  /**
   * `describe` and `it`.
   * @default the global ones
   */
  readonly runner?: TestRunner;
}

const signal = (): AbortSignal => new AbortController().signal;

function check(condition: boolean, expectation: string): void {
  if (!condition) throw new Error(`The judge breaks its contract: ${expectation}`);
}

function requestFor(candidates: readonly ToolDescription[]): JudgeRequest {
  return {
    context: {
      request: "Where is order A1001?",
      messages: [
        { role: "user", text: "Hello" },
        { role: "assistant", text: "Hi, how can I help?" },
        { role: "user", text: "Where is order A1001?" },
      ],
    },
    candidates,
  };
}

const order: ToolDescription = {
  name: "query_order",
  description: "Looks up an order by its number.",
  parameters: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
};
const refund: ToolDescription = { name: "refund", description: "Refunds a payment." };

async function answersOf(judge: Judge, request: JudgeRequest): Promise<JudgeResponse> {
  const response = await judge.judge(request, { signal: signal(), deadline: Date.now() + 10_000 });
  check(Array.isArray(response?.probabilities), "a reply has an array `probabilities`.");
  const { probabilities } = response;
  const asked = request.candidates.length;
  check(probabilities.length === asked, `${asked} candidates get ${asked} answers.`);
  const isAnswer = (answer: unknown): boolean => answer === undefined || isValidAnswer(answer);
  check(
    Array.from(probabilities).every(isAnswer),
    "an answer is a number from 0 to 1, null or undefined.",
  );
  return response;
}

/** How a call ended, within a time. */
async function endWithin(
  call: Promise<JudgeResponse>,
  withinMs: number,
): Promise<{ readonly error?: unknown; readonly answered: boolean }> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`The judge breaks its contract: it gives up within ${withinMs} ms.`)),
      withinMs,
    );
  });
  const ended = call.then(
    () => ({ answered: true }),
    (error: unknown) => ({ answered: false, error }),
  );
  try {
    return await Promise.race([ended, late]);
  } finally {
    clearTimeout(timer);
  }
}

const answering: Contract<Judge> = [
  [
    "says who it is, and how much it takes",
    async (judge) => {
      check(typeof judge.id === "string" && judge.id !== "", "`id` is a string that is not empty.");
      const { batchSize, thresholds } = judge;
      const isSize = batchSize === undefined || (Number.isInteger(batchSize) && batchSize >= 1);
      check(isSize, "`batchSize` is an integer from 1.");
      const { rejection, confidence } = thresholds ?? { rejection: 0.2, confidence: 0.8 };
      check(
        rejection >= 0 && rejection < confidence && confidence <= 1,
        "0 ≤ `thresholds.rejection` < `thresholds.confidence` ≤ 1.",
      );
    },
  ],
  ["answers once per candidate", (judge) => answersOf(judge, requestFor([order, refund]))],
  ["answers about a single candidate", (judge) => answersOf(judge, requestFor([order]))],
  [
    "answers a full batch",
    (judge) => {
      const size = Math.min(judge.batchSize ?? 64, 64);
      const tools = Array.from({ length: size }, (_, index) => ({
        name: `tool_${index}`,
        description: `Does thing number ${index}.`,
      }));
      return answersOf(judge, requestFor(tools));
    },
  ],
  [
    "answers by position, whatever the names, duplicates included",
    (judge) =>
      answersOf(
        judge,
        requestFor(hostileNames.map((name) => ({ name, description: "Does something." }))),
      ),
  ],
  [
    "answers about tools whose schema cannot be serialised",
    (judge) => answersOf(judge, requestFor(unserialisableTools())),
  ],
  [
    "answers about a huge description beside a normal one",
    (judge) =>
      answersOf(judge, requestFor([{ name: "huge", description: "word ".repeat(10_000) }, order])),
  ],
  [
    "answers when there is a request and no other message",
    (judge) =>
      answersOf(judge, {
        context: { request: "Where is order A1001?", messages: [] },
        candidates: [order],
      }),
  ],
  [
    "leaves the request as it is",
    (judge) => answersOf(judge, freezeDeep(requestFor([{ ...order }, { ...refund }]))),
  ],
  [
    "keeps calls at one time apart",
    async (judge) => {
      const sizes = [1, 2, 3];
      const tools = [order, refund, { name: "weather", description: "Tells the weather." }];
      await Promise.all(sizes.map((size) => answersOf(judge, requestFor(tools.slice(0, size)))));
    },
  ],
];

const aborting = (withinMs: number): Contract<Judge> => [
  [
    "rejects with the signal's reason when that has aborted before",
    async (judge) => {
      const controller = new AbortController();
      const reason = new Error("called off");
      controller.abort(reason);
      const call = Promise.resolve().then(() =>
        judge.judge(requestFor([order]), { signal: controller.signal }),
      );
      const end = await endWithin(call, withinMs);
      check(end.error === reason, "an aborted call rejects with the signal's reason.");
    },
  ],
  [
    "gives up when the signal aborts during the call",
    async (judge) => {
      const controller = new AbortController();
      const reason = new Error("called off");
      const call = judge.judge(requestFor([order, refund]), { signal: controller.signal });
      controller.abort(reason);
      const end = await endWithin(call, withinMs);
      check(
        end.answered || end.error === reason,
        "a call that aborts under way answers, or rejects with the signal's reason.",
      );
    },
  ],
];

/**
 * Declares the suite that every judge of this package passes: one answer per candidate, by position, valid; hostile
 * names, schemas and sizes survived; the request untouched; aborts obeyed with the signal's reason.
 *
 * It checks form, not judgment: whether the probabilities are any good is for an evaluation to say.
 *
 * @example
 * import { describe, it } from "vitest";
 * describeJudgeContract("my judge", {
 *   createJudge: () => ({ id: "mine", judge: async ({ candidates }, { signal }) => {
 *     signal.throwIfAborted();
 *     return { probabilities: candidates.map(() => 0.5) };
 *   } }),
 *   runner: { describe, it },
 * });
 */
export function describeJudgeContract(name: string, options: JudgeContractOptions): void {
  declareContract(`${name} keeps the judge contract`, {
    contract: [...answering, ...aborting(options.abortWithinMs ?? 1000)],
    create: options.createJudge,
    cleanUp: options.cleanUp,
    runner: options.runner,
  });
}
