/**
 * A LangChain decision model as the judge of an agent: one yes/no question per tool. The model class here speaks the System
 * One protocol; a provider's own class goes in its place.
 *
 * Run: `npx tsx examples/decision-model-judge.ts` for a stand-in model, or with TYPESAFE_API_KEY set for the real service.
 */

import { BaseDecisionModel, parseClassifierResponse } from "@langchain/core/decisions";
import type { Question, State } from "@langchain/core/decisions";
import type { RunnableConfig } from "@langchain/core/runnables";
import { decisionModelJudge } from "../src/models.js";
import { runOrderDesk, sharedWords } from "./support/order-desk.js";

class SystemOneModel extends BaseDecisionModel {
  override lc_namespace = ["example", "decisions"];
  readonly #apiKey: string;

  constructor(apiKey: string) {
    super({ model: "jev-1.13.0" });
    this.#apiKey = apiKey;
  }

  override get _provider() {
    return "typesafe";
  }

  override async _classify(
    state: State,
    questions: Record<string, Question>,
    config?: Partial<RunnableConfig>,
  ) {
    const response = await fetch("https://api.typesafe.ai/v1/systemone", {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${this.#apiKey}` },
      body: JSON.stringify({ model: this.model, state, questions }),
      ...(config?.signal === undefined ? {} : { signal: config.signal }),
    });
    // The judge reads `status`, so that retries and circuit breaker work.
    if (!response.ok)
      throw Object.assign(new Error("Request failed."), { status: response.status });
    const { model, answers, usage } = (await response.json()) as {
      model: string;
      answers: Record<string, unknown>;
      usage: object;
    };
    return parseClassifierResponse({ model, answers, usage_metadata: usage });
  }
}

/** Answers by shared words; it shows the form, not the judgment. */
class StandInModel extends BaseDecisionModel {
  override lc_namespace = ["example", "decisions"];

  constructor() {
    super({ model: "stand-in" });
  }

  override get _provider() {
    return "stand-in";
  }

  override async _classify(state: State, questions: Record<string, Question>) {
    const { request } = state as { request: string };
    const answers = Object.entries(questions).map(([id, { instructions }]) => {
      const { tool } = instructions as { tool: { description: string } };
      return [id, { type: "noul", noul: sharedWords(request, tool.description) }];
    });
    return parseClassifierResponse({
      model: this.model,
      answers: Object.fromEntries(answers) as Record<string, unknown>,
    });
  }
}

const apiKey = process.env["TYPESAFE_API_KEY"];
console.log(apiKey ? "asking the real service" : "asking a stand-in for a decision model");
const model = apiKey ? new SystemOneModel(apiKey) : new StandInModel();
await runOrderDesk(decisionModelJudge(model, { logger: console }));
