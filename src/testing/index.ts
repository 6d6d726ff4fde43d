/**
 * Entry `toolsieve/testing`: fakes for your own tests. Needs `@langchain/core`; its parts
 * `/fake-judge` and `/describe-judge-contract` do not.
 */

export { fakeJudge } from "./fake-judge.js";
export type { FakeJudge, FakeJudgeOptions } from "./fake-judge.js";
export { describeJudgeContract } from "./describe-judge-contract.js";
export type { JudgeContractOptions } from "./describe-judge-contract.js";
export { describeToolIndexContract } from "./describe-tool-index-contract.js";
export type { ToolIndexContractOptions } from "./describe-tool-index-contract.js";
export type { TestRunner } from "./contract.js";
export { recordingChatModel } from "./recording-chat-model.js";
export type {
  RecordedModelCall,
  RecordingChatModel,
  RecordingChatModelOptions,
  ScriptedReply,
} from "./recording-chat-model.js";
