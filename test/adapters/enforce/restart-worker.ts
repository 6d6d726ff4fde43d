/** One process that answers one message of a thread kept in Postgres, and prints what it offered last. */

import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { createMiddlewareAgent } from "./support.js";

const [url = "", thread = "", text = "", replies = "[]"] = process.argv.slice(2);
const checkpointer = PostgresSaver.fromConnString(url);
const agent = createMiddlewareAgent({
  selector: { findTools: true, sticky: "thread" },
  checkpointer,
  replies: JSON.parse(replies) as string[],
});
await agent.say(text, thread);
console.log(JSON.stringify(agent.model.calls.at(-1)?.toolNames));
await checkpointer.end();
