/** The state of the middleware: the memory of the thread, in a private key of the agent's state. */

import { Command, ReducedValue, StateSchema } from "@langchain/langgraph";
import * as z from "zod";
import { read } from "../../core/read.js";
import type { MemoryChange } from "../../core/types.js";
import { reduceMemory } from "../../selector/memory/thread-memory.js";
import { memoryKey } from "../thread-state.js";

/** The schema of that key. What is written is a change; what is kept is the memory. */
export function createMemoryState(): StateSchema<Record<typeof memoryKey, ReducedValue>> {
  return new StateSchema({
    [memoryKey]: new ReducedValue(z.unknown(), {
      inputSchema: z.unknown(),
      reducer: reduceMemory,
    }),
  });
}

/**
 * The result of a model call, together with what the thread is to remember. The host takes the
 * model's message from the inner call; a structured response is handed on.
 */
export function withMemory<R>(result: R, change: MemoryChange | null): R {
  if (change === null) return result;
  const update: Record<string, unknown> = { [memoryKey]: change };
  const structured = read(result, "structuredResponse");
  if (structured !== undefined) {
    update["structuredResponse"] = structured;
    update["messages"] = read(result, "messages");
  }
  return new Command({ update }) as R;
}
