import { createDeepAgent } from "deepagents";
import { describe, expect, it } from "vitest";
import type { ToolSelectorOptions } from "../../../src/core/options.js";
import { presets, toolSelectorMiddleware } from "../../../src/langchain.js";
import { memorySink } from "../../../src/sinks/memory.js";
import { recordingChatModel } from "../../../src/testing/index.js";
import type { ScriptedReply } from "../../../src/testing/index.js";
import { ask, judging, lastText, namedTools } from "../support.js";

function deepAgent(options: ToolSelectorOptions, replies: readonly ScriptedReply[] = []) {
  const model = recordingChatModel({ replies });
  const sink = memorySink();
  const middleware = toolSelectorMiddleware({
    mode: "enforce",
    judge: judging({ query_order: 0.95 }),
    sinks: sink,
    ...options,
  });
  const agent = createDeepAgent({
    model,
    tools: namedTools("query_order", "refund"),
    middleware: [middleware],
    subagents: [
      { name: "clerk", description: "Answers letters.", systemPrompt: "You are a clerk." },
    ],
  });
  return { agent, model, sink, selector: middleware.selector };
}

const own = new Set(["query_order", "refund"]);

describe("a deepagents agent", () => {
  it("loses its own tools to a plain filter", async () => {
    const { agent, model } = deepAgent({});
    await agent.invoke(ask("Where is order 7?"));
    expect(model.calls[0]?.toolNames).toEqual(["query_order"]);
  });

  it("keeps all of them with the preset, and loses the others", async () => {
    const shadow = deepAgent({ mode: "shadow" });
    await shadow.agent.invoke(ask("Where is order 7?"));
    const builtIn = shadow.model.calls[0]?.toolNames.filter((name) => !own.has(name)) ?? [];
    expect(builtIn).toEqual(expect.arrayContaining(["read_file", "task"]));

    const { agent, model } = deepAgent({ alwaysInclude: presets.deepAgents });
    await agent.invoke(ask("Where is order 7?"));
    const offered = model.calls[0]?.toolNames ?? [];
    expect(offered.filter((name) => !own.has(name))).toEqual(builtIn);
    expect(offered.filter((name) => own.has(name))).toEqual(["query_order"]);
  });

  it("hands work to a subagent, which does not inherit the middleware", async () => {
    const delegate = {
      name: "task",
      args: { description: "Answer the letter.", subagent_type: "clerk" },
    };
    const { agent, model, sink, selector } = deepAgent({ alwaysInclude: presets.deepAgents }, [
      { toolCalls: [delegate] },
      "The letter is answered.",
      "All done.",
    ]);
    const result = await agent.invoke(ask("Answer the letter, and where is order 7?"));
    await selector.flush();
    expect(lastText(result)).toBe("All done.");
    expect(model.calls[1]?.toolNames).toEqual(expect.arrayContaining(["query_order", "refund"]));
    expect(sink.records.map(({ outcome }) => outcome?.called)).toEqual([["task"], []]);
  });
});
