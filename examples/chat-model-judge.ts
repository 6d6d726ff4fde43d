/**
 * Any LangChain chat model as the judge of an agent: it states a probability per tool, for providers without logprobs.
 *
 * Run: `npx tsx examples/chat-model-judge.ts` for a stand-in model, or with OPENAI_API_KEY set for a real one.
 */

import { ChatOpenAI } from "@langchain/openai";
import { chatModelJudge } from "../src/models.js";
import { recordingChatModel, type RecordedModelCall } from "../src/testing/index.js";
import { runOrderDesk, sharedWords } from "./support/order-desk.js";

/** Calls the answer tool as a provider's model would, by shared words; it shows the form, not the judgment. */
function answer({ messages }: RecordedModelCall) {
  const [system = "", user = "{}"] = messages.map(({ text }) => text);
  const { request } = JSON.parse(user) as { request: string };
  const lines = system.slice(system.indexOf("\nTools:\n") + 8).split("\n");
  const answers = lines.map((line) => {
    const { number, description } = JSON.parse(line) as { number: number; description: string };
    return { number, probability: sharedWords(request, description) };
  });
  return { toolCalls: [{ name: "tool_answers", args: { answers } }] };
}

const isReal = Boolean(process.env["OPENAI_API_KEY"]);
console.log(isReal ? "asking a real chat model" : "asking a stand-in for a chat model");
// No retries inside the model: the judge retries within the turn's budget.
const model = isReal
  ? new ChatOpenAI({ model: "gpt-4.1-mini", temperature: 0, maxRetries: 0 })
  : recordingChatModel({ replies: answer, modelName: "stand-in" });
await runOrderDesk(chatModelJudge(model, { logger: console }));
