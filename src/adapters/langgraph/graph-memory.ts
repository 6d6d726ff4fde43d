/** Memory of threads in the state of a LangGraph graph. */

import { Annotation, isCommand } from "@langchain/langgraph";
import type { Command } from "@langchain/langgraph";
import { read } from "../../core/read.js";
import type { MemoryChange, ThreadMemory, Turn } from "../../core/types.js";
import {
  emptyMemory,
  parseThreadMemory,
  reduceMemory,
} from "../../selector/memory/thread-memory.js";
import { hasMemoryKey, memoryKey, readMemoryKey } from "../thread-state.js";

/**
 * The annotation whose channel keeps the memory of a thread in the graph: it survives restarts,
 * interrupts, forks and a history that is summarised. Without it the selector remembers threads in
 * its own process.
 *
 * @example
 * const State = Annotation.Root({ ...MessagesAnnotation.spec, ...toolsieveState.spec });
 */
export const toolsieveState = Annotation.Root({
  [memoryKey]: Annotation<ThreadMemory, MemoryChange | ThreadMemory>({
    reducer: reduceMemory,
    default: () => emptyMemory,
  }),
});

function isUpdate(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && read(value, "messages") !== undefined;
}

/**
 * A command may have no update, or one of another shape; what is not an update of messages stays.
 */
function addToCommand(command: Command, change: MemoryChange): Command {
  const { update } = command;
  if (!isUpdate(update) || Array.isArray(update)) return command;
  const copy = Object.create(Object.getPrototypeOf(command) as object) as Command;
  return Object.assign(copy, command, { update: { ...update, [memoryKey]: change } });
}

/** The result of a node, together with what the thread is to remember. */
export function addMemory<R>(result: R, change: MemoryChange | null): R {
  if (change === null) return result;
  if (isCommand(result)) return addToCommand(result, change) as R;
  return isUpdate(result) && !Array.isArray(result) ? { ...result, [memoryKey]: change } : result;
}

/**
 * The memory that a tool call works on. A state that no model step has written holds what the
 * finder found, and the rest is in this process.
 */
export function readCallMemory(state: unknown): Pick<Turn, "memory" | "savedMemory"> {
  if (!hasMemoryKey(state)) return {};
  const saved = readMemoryKey(state);
  return parseThreadMemory(saved).catalog === null
    ? { savedMemory: saved }
    : { memory: saved, savedMemory: saved };
}
