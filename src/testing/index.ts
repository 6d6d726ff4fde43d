/** Entry `toolsieve/testing`: fakes for your own tests. Needs `@langchain/core`; `toolsieve/testing/fake-judge` does not. */

export { fakeJudge } from "./fake-judge.js";
export type { FakeJudge, FakeJudgeOptions } from "./fake-judge.js";
export { describeJudgeContract } from "./describe-judge-contract.js";
export type { JudgeContractOptions, TestRunner } from "./describe-judge-contract.js";
export { recordingChatModel } from "./recording-chat-model.js";
export type {
  RecordedModelCall,
  RecordingChatModel,
  RecordingChatModelOptions,
  ScriptedReply,
} from "./recording-chat-model.js";
