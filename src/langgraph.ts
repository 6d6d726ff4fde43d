/** Entry `toolsieve/langgraph`: adapters for `StateGraph` and `createReactAgent`. */

export { dynamicModel } from "./adapters/langgraph/dynamic-model.js";
export type { DynamicModelOptions } from "./adapters/langgraph/dynamic-model.js";
export type { NodeSelectionOptions } from "./adapters/langgraph/node-options.js";
export { toolSelectorNode } from "./adapters/langgraph/tool-selector-node.js";
export type { ToolSelectorNodeOptions } from "./adapters/langgraph/tool-selector-node.js";
export { withToolSelection } from "./adapters/langgraph/with-tool-selection.js";
export type { WithToolSelectionOptions } from "./adapters/langgraph/with-tool-selection.js";
export { toolsieveState } from "./adapters/langgraph/graph-memory.js";
export { findToolsTool } from "./adapters/langgraph/find-tools-tool.js";
export type { FindToolsToolOptions } from "./adapters/langgraph/find-tools-tool.js";
export { guardedToolNode } from "./adapters/langgraph/guarded-tool-node.js";
export type { GuardedToolNodeOptions } from "./adapters/langgraph/guarded-tool-node.js";
