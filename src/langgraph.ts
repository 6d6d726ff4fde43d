/** Entry `toolsieve/langgraph`: adapters for `StateGraph` and `createReactAgent`. */

export {
  dynamicModel,
  toolSelectorNode,
  withToolSelection,
} from "./adapters/langgraph/langgraph-adapters.js";
export type {
  DynamicModelOptions,
  NodeSelectionOptions,
  ToolSelectorNodeOptions,
  WithToolSelectionOptions,
} from "./adapters/langgraph/langgraph-adapters.js";
