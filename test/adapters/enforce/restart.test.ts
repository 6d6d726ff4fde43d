import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { humanInTheLoopMiddleware, createAgent } from "langchain";
import { Command, MemorySaver } from "@langchain/langgraph";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { describe, expect, it } from "vitest";
import { toolSelectorMiddleware } from "../../../src/langchain.js";
import { recordingChatModel } from "../../../src/testing/recording-chat-model.js";
import { postgresServers } from "../../support/postgres.js";
import { createTools, hosts, namingJudge } from "./support.js";

const run = promisify(execFile);
const findMail = { toolCalls: [{ name: "find_tools", args: { names: ["send_mail"] } }] };

describe.each(hosts)("%s, after a restart", (host, create) => {
  it("still has what was found and what was visible, from a checkpointer alone", async () => {
    const checkpointer = new MemorySaver();
    const selector = { findTools: true, sticky: "thread" } as const;
    await create({ selector, checkpointer, replies: [findMail, "done"] }).say("refund it");
    const restarted = create({ selector, checkpointer, replies: ["done"] });
    await restarted.say("login now");
    const offered = restarted.model.calls[0]?.toolNames;
    expect(offered).toEqual(expect.arrayContaining(["send_mail", "login", "find_tools"]));
    // The dynamic model cannot write the graph's state: what was visible stays in its process.
    expect(offered?.includes("refund")).toBe(host !== "createReactAgent");
  });
});

describe.each(postgresServers)("with a checkpointer in %s", (_name, open) => {
  it("a new process has what another one found and showed", async () => {
    const server = await open();
    const checkpointer = PostgresSaver.fromConnString(server.url);
    // The database may outlive this run, and what a thread remembers with it.
    const thread = randomUUID();
    try {
      await checkpointer.setup();
      const script = fileURLToPath(new URL("restart-worker.ts", import.meta.url));
      const tsx = fileURLToPath(new URL("../../../node_modules/tsx/dist/cli.mjs", import.meta.url));
      const work = async (text: string, reply: unknown): Promise<readonly string[]> => {
        const args = [tsx, script, server.url, thread, text, JSON.stringify([reply, "done"])];
        const { stdout } = await run(process.execPath, args);
        return JSON.parse(stdout) as string[];
      };
      expect(await work("refund it", findMail)).toEqual(["refund", "send_mail", "find_tools"]);
      expect(await work("login now", "done")).toEqual([
        "refund",
        "login",
        "send_mail",
        "find_tools",
      ]);
    } finally {
      await checkpointer.end();
      await server.dispose();
    }
  }, 120_000);
});

describe("an interrupt between the call of the finder and its answer", () => {
  // Its types do not go with `exactOptionalPropertyTypes`.
  const approval = humanInTheLoopMiddleware({ interruptOn: { refund: true } } as never);
  it("a new process that has not seen the catalog answers it with the next step", async () => {
    const checkpointer = new MemorySaver();
    const config = { configurable: { thread_id: "t1" } };
    const start = (replies: Parameters<typeof recordingChatModel>[0]) => {
      const { tools, executed } = createTools();
      const model = recordingChatModel(replies);
      const middleware = [
        toolSelectorMiddleware({
          judge: namingJudge(),
          mode: "enforce",
          findTools: true,
          guard: true,
        }),
        approval as never,
      ];
      return { agent: createAgent({ model, tools, middleware, checkpointer }), model, executed };
    };
    const first = start({
      replies: [{ toolCalls: [...findMail.toolCalls, { name: "refund" }] }],
    });
    await first.agent.invoke({ messages: [{ role: "user", content: "refund it" }] }, config);
    expect(first.executed).toEqual([]);
    const second = start({ replies: [{ toolCalls: [{ name: "send_mail" }] }, "done"] });
    const resume = { decisions: [{ type: "approve" }] };
    await second.agent.invoke(new Command({ resume }), config);
    expect(second.model.calls[0]?.toolNames).toEqual(["refund", "send_mail", "find_tools"]);
    expect(second.executed).toEqual(["refund", "send_mail"]);
  });

  it("the guard knows in a new process what was hidden", async () => {
    const checkpointer = new MemorySaver();
    const options = { selector: { guard: true }, checkpointer } as const;
    const [, create] = hosts[0] ?? [];
    const first = create?.({ ...options, replies: ["done"] });
    await first?.say("refund it");
    const memory = (await first?.readState())?.["_toolsieve"];
    expect(memory).toMatchObject({
      hidden: ["query_order", "login", "transfer_money", "send_mail"],
    });
  });
});
