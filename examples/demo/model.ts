/** Who answers in the demo: a real model if a key is there, else the script of the story. */

import { initChatModel } from "langchain";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { BaseMessage } from "@langchain/core/messages";
import { recordingChatModel } from "toolsieve/testing";
import type { ScriptedReply } from "toolsieve/testing";
import type { StoryTurn } from "./story.js";

/** A model, and what to say about it. */
export interface DemoModel {
  readonly model: BaseChatModel;
  readonly label: string;
  /** How many tools the provider takes at most. */
  readonly maxTools: number;
}

interface Provider {
  readonly key: string;
  readonly provider: string;
  readonly defaultModel: string;
  readonly packageName: string;
  readonly maxTools: number;
}

const providers: readonly Provider[] = [
  {
    key: "OPENAI_API_KEY",
    provider: "openai",
    defaultModel: "gpt-5-mini",
    packageName: "@langchain/openai",
    maxTools: 128,
  },
  {
    key: "ANTHROPIC_API_KEY",
    provider: "anthropic",
    defaultModel: "claude-haiku-4-5",
    packageName: "@langchain/anthropic",
    maxTools: Number.POSITIVE_INFINITY,
  },
];

/** The next step of the script, read off the conversation: it does what the story needs, whatever tools it is offered. */
function nextReply(story: readonly StoryTurn[], messages: readonly BaseMessage[]): ScriptedReply {
  const lastUser = messages.findLastIndex((message) => message.type === "human");
  const turn = story.find(({ user }) => user === messages[lastUser]?.text);
  if (turn === undefined) return "That is not in my script.";
  const step = messages.slice(lastUser).filter((message) => message.type === "ai").length;
  const calls = turn.steps[step];
  return calls === undefined ? turn.answer : { toolCalls: calls };
}

function scriptedModel(story: readonly StoryTurn[]): DemoModel {
  const model = recordingChatModel({
    replies: ({ messages }) => nextReply(story, messages),
    modelName: "scripted",
  });
  return {
    model,
    label: "a SCRIPTED model (no OPENAI_API_KEY or ANTHROPIC_API_KEY is set); the tools are real",
    maxTools: Number.POSITIVE_INFINITY,
  };
}

/**
 * Chooses the model of the demo by the keys in the environment; `DEMO_MODEL` overrides the name of the model.
 *
 * @throws if a key is set and the package of its provider is not installed.
 */
export async function chooseModel(
  story: readonly StoryTurn[],
  env: NodeJS.ProcessEnv,
): Promise<DemoModel> {
  const chosen = providers.find(({ key }) => (env[key] ?? "") !== "");
  if (chosen === undefined) return scriptedModel(story);
  const { key, provider, defaultModel, packageName, maxTools } = chosen;
  const name = env["DEMO_MODEL"] ?? defaultModel;
  try {
    await import(packageName);
  } catch (cause) {
    throw new Error(
      `${key} is set, but ${packageName} is not installed: run \`npm install --no-save ${packageName}\`, or unset the key.`,
      { cause },
    );
  }
  const model = await initChatModel(name, { modelProvider: provider });
  return { model, label: `${name} of ${provider} (${key} is set)`, maxTools };
}
