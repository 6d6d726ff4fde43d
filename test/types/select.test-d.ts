/** What a caller's own types become on their way through a selection. */

import { expectTypeOf, it } from "vitest";
import { createToolSelector } from "toolsieve";
import type { JudgeFunction, Selection, ToolSelectorOptions } from "toolsieve";

interface OwnTool {
  readonly name: string;
  readonly description: string;
  readonly handler: () => number;
}

declare const tools: readonly OwnTool[];
const selector = createToolSelector();
const messages = [{ role: "user", text: "hello" }];

it("select preserves the caller's tool type", async () => {
  const selection = await selector.select({ messages, tools });
  expectTypeOf(selection).toEqualTypeOf<Selection<OwnTool>>();
  expectTypeOf(selection.tools).toEqualTypeOf<readonly OwnTool[]>();
  expectTypeOf(selection.suggested).toEqualTypeOf<readonly OwnTool[]>();
});

it("select keeps a union of tools a union", async () => {
  const mixed: readonly (OwnTool | { readonly type: "web_search" })[] = tools;
  const selection = await selector.select({ messages, tools: mixed });
  expectTypeOf(selection.tools).toEqualTypeOf<typeof mixed>();
});

it("run hands the caller's tools to callModel, and returns what it returns", async () => {
  const result = await selector.run(
    { messages, tools },
    {
      callModel: async (offered, selection) => {
        expectTypeOf(offered).toEqualTypeOf<readonly OwnTool[]>();
        expectTypeOf(selection).toEqualTypeOf<Selection<OwnTool> | undefined>();
        return { text: "hi" };
      },
      readOutcome: (answer) => {
        expectTypeOf(answer).toEqualTypeOf<{ text: string }>();
        return { called: [] };
      },
    },
  );
  expectTypeOf(result).toEqualTypeOf<{ text: string }>();
});

it("describe gets the caller's tool", async () => {
  await selector.select({
    messages,
    tools,
    describe: (tool) => {
      expectTypeOf(tool).toEqualTypeOf<OwnTool>();
      return { name: tool.name };
    },
  });
});

it("what a selection offers cannot be written to", async () => {
  const selection = await selector.select({ messages, tools });
  // @ts-expect-error a selection is a subsequence of the caller's array, not a list to change
  selection.tools.push(tools[0]);
});

it("options are checked at compile time", () => {
  expectTypeOf<ToolSelectorOptions["judge"]>().extract<JudgeFunction>().not.toBeNever();
  // @ts-expect-error an unknown option
  createToolSelector({ cutOff: 3 });
  // @ts-expect-error a mode that does not exist
  createToolSelector({ mode: "on" });
});
