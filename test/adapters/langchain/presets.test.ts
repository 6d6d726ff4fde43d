import { createHandoffTool as createSwarmHandoff } from "@langchain/langgraph-swarm";
import { createHandoffTool as createSupervisorHandoff } from "@langchain/langgraph-supervisor";
import { createAgent, todoListMiddleware } from "langchain";
import { describe, expect, it } from "vitest";
import { nameMatcher } from "../../../src/core/glob.js";
import { presets, toolSelectorMiddleware } from "../../../src/langchain.js";
import { recordingChatModel } from "../../../src/testing/recording-chat-model.js";

describe("presets", () => {
  it("keeps the planning tool of the real todo list middleware", async () => {
    const model = recordingChatModel({ replies: ["done"] });
    const agent = createAgent({
      model,
      tools: [],
      middleware: [
        // Its types do not go with `exactOptionalPropertyTypes`.
        todoListMiddleware() as never,
        toolSelectorMiddleware({
          mode: "enforce",
          judge: ({ candidates }) => candidates.map(() => 0),
          alwaysInclude: presets.todoList,
        }),
      ],
    });
    await agent.invoke({ messages: [{ role: "user", content: "hi" }] } as never);
    expect(model.calls[0]?.toolNames).toEqual(["write_todos"]);
  });

  it.each([
    ["swarm", createSwarmHandoff({ agentName: "Order Desk" }).name],
    ["supervisor", createSupervisorHandoff({ agentName: "Order Desk" }).name],
  ])("match the handoff that the real %s package makes", (_package, name) => {
    expect(nameMatcher(presets.handoffs)(name)).toBe(true);
  });
});
