/**
 * The expectations of the judge contract: what a judge must answer, how it ends, and what a wrapper
 * carries through.
 */

import type { Judge, JudgeRequest, JudgeResponse, ToolDescription } from "../core/types.js";
import { isValidAnswer } from "../core/verdict.js";
import { freezeDeep, hostileNames, unserialisableTools, type Contract } from "./contract.js";

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

async function askForAnswers(judge: Judge, request: JudgeRequest): Promise<void> {
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
}

/** Waits for the end of a call, at most so long. */
async function waitForEnd(
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

/** How a judge answers. */
export const answerContract: Contract<Judge> = [
  [
    "says who it is, and how much it takes",
    async (judge) => {
      check(typeof judge.id === "string" && judge.id !== "", "`id` is a string that is not empty.");
      const { thresholds, scope, prepare } = judge;
      for (const limit of ["batchSize", "maxTools"] as const) {
        const value = judge[limit] ?? 1;
        check(Number.isInteger(value) && value >= 1, `\`${limit}\` is an integer from 1.`);
      }
      check(["tool", "catalog"].includes(scope ?? "tool"), '`scope` is "tool" or "catalog".');
      check(typeof (prepare ?? isValidAnswer) === "function", "`prepare` is a function.");
      const { rejection, confidence } = thresholds ?? { rejection: 0.2, confidence: 0.8 };
      check(
        rejection >= 0 && rejection < confidence && confidence <= 1,
        "0 ≤ `thresholds.rejection` < `thresholds.confidence` ≤ 1.",
      );
    },
  ],
  ["answers once per candidate", (judge) => askForAnswers(judge, requestFor([order, refund]))],
  ["answers about a single candidate", (judge) => askForAnswers(judge, requestFor([order]))],
  [
    "answers a full batch",
    (judge) => {
      const size = Math.min(judge.batchSize ?? 64, 64);
      const tools = Array.from({ length: size }, (_, index) => ({
        name: `tool_${index}`,
        description: `Does thing number ${index}.`,
      }));
      return askForAnswers(judge, requestFor(tools));
    },
  ],
  [
    "answers by position, whatever the names, duplicates included",
    (judge) =>
      askForAnswers(
        judge,
        requestFor(hostileNames.map((name) => ({ name, description: "Does something." }))),
      ),
  ],
  [
    "answers about tools whose schema cannot be serialised",
    (judge) => askForAnswers(judge, requestFor(unserialisableTools())),
  ],
  [
    "answers about a huge description beside a normal one",
    (judge) =>
      askForAnswers(
        judge,
        requestFor([{ name: "huge", description: "word ".repeat(10_000) }, order]),
      ),
  ],
  [
    "answers when there is a request and no other message",
    (judge) =>
      askForAnswers(judge, {
        context: { request: "Where is order A1001?", messages: [] },
        candidates: [order],
      }),
  ],
  [
    "leaves the request as it is",
    (judge) => askForAnswers(judge, freezeDeep(requestFor([{ ...order }, { ...refund }]))),
  ],
  [
    "answers the same way after it has prepared for the tools",
    async (judge) => {
      await judge.prepare?.([order, refund], { signal: signal() });
      await askForAnswers(judge, requestFor([order, refund]));
    },
  ],
  [
    "keeps calls at one time apart",
    async (judge) => {
      const sizes = [1, 2, 3];
      const tools = [order, refund, { name: "weather", description: "Tells the weather." }];
      await Promise.all(
        sizes.map((size) => askForAnswers(judge, requestFor(tools.slice(0, size)))),
      );
    },
  ],
];

/** How a judge ends after an abort. */
export const abortContract = (withinMs: number): Contract<Judge> => [
  [
    "rejects with the signal's reason when that has aborted before",
    async (judge) => {
      const controller = new AbortController();
      const reason = new Error("called off");
      controller.abort(reason);
      const call = Promise.resolve().then(() =>
        judge.judge(requestFor([order]), { signal: controller.signal }),
      );
      const end = await waitForEnd(call, withinMs);
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
      const end = await waitForEnd(call, withinMs);
      check(
        end.answered || end.error === reason,
        "a call that aborts under way answers, or rejects with the signal's reason.",
      );
    },
  ],
];

/** What a judge says of itself, every field with a value of its own. */
const limits = {
  batchSize: 7,
  scope: "catalog",
  maxTools: 3,
  thresholds: { confidence: 0.6, rejection: 0.3 },
} as const;

const malformedReplies: readonly unknown[] = [
  undefined,
  null,
  {},
  "ok",
  [],
  { probabilities: null },
  { probabilities: "none" },
  { probabilities: [0] },
  { probabilities: [0, 0, 0] },
  { probabilities: ["0", Number.NaN] },
  { probabilities: [-0.1, 1.1] },
];

/** How a wrapper treats the judge that it wraps. */
export const wrapperContract: Contract<(judge: Judge) => Judge> = [
  [
    "carries the limits of the wrapped judge through",
    async (wrap) => {
      let prepared: readonly ToolDescription[] = [];
      const judge = async ({ candidates }: JudgeRequest): Promise<JudgeResponse> => ({
        probabilities: candidates.map(() => 0.5),
      });
      const prepare = async (tools: readonly ToolDescription[]): Promise<void> => {
        prepared = tools;
      };
      const wrapped = wrap({ ...limits, id: "inner", judge, prepare });
      check(wrapped.id.includes("inner"), "a wrapper's `id` holds the id of the wrapped judge.");
      check(wrapped.scope === "catalog", "`scope` is carried through.");
      check(wrapped.maxTools === limits.maxTools, "`maxTools` is carried through.");
      await wrapped.prepare?.([order], { signal: signal() });
      check(prepared[0] === order, "`prepare` is carried through.");
    },
  ],
  [
    "asks a wrapped judge that is an object with state",
    async (wrap) => {
      class Stateful implements Judge {
        readonly id = "stateful";
        readonly #probability = 0.5;
        async judge({ candidates }: JudgeRequest): Promise<JudgeResponse> {
          return { probabilities: candidates.map(() => this.#probability) };
        }
      }
      await askForAnswers(wrap(new Stateful()), requestFor([order, refund]));
    },
  ],
  [
    "leaves malformed replies of the wrapped judge without an answer",
    async (wrap) => {
      for (const reply of malformedReplies) {
        const judge = wrap({ id: "malformed", judge: async () => reply as JudgeResponse });
        const request = requestFor([order, refund]);
        const { probabilities } = await judge.judge(request, { signal: signal() });
        const isOpen = probabilities.length === 2 && probabilities.every((p) => p === undefined);
        check(isOpen, "a malformed reply leaves every candidate without an answer.");
      }
    },
  ],
];
