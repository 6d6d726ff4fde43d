/**
 * Names for `alwaysInclude`: tools of well-known hosts that steer the agent itself and must not
 * depend on the request.
 */

const todoList = ["write_todos"] as const;

/**
 * Lists for `alwaysInclude`.
 *
 * - `todoList`: the planning tool of `todoListMiddleware`
 * - `deepAgents`: every built-in tool of `deepagents`: planning, files, shell, subagents in both
 *   kinds
 * - `handoffs`: tools that pass the conversation to another agent, by the names that LangGraph's
 *   supervisor and swarm give them
 *
 * @example
 * const middleware = toolSelectorMiddleware({ alwaysInclude: [...presets.deepAgents, "search_*"]
 * });
 */
export const presets = {
  todoList,
  deepAgents: [
    ...todoList,
    "ls",
    "read_file",
    "write_file",
    "edit_file",
    "delete",
    "glob",
    "grep",
    "execute",
    "task",
    "start_async_task",
    "check_async_task",
    "update_async_task",
    "cancel_async_task",
    "list_async_tasks",
  ],
  handoffs: ["transfer_to_*", "transfer_back_to_*", "handoff_to_*", "forward_message"],
} as const satisfies Readonly<Record<string, readonly string[]>>;
