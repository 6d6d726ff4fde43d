/** Entry `toolsieve/langchain`: the middleware for `createAgent`, and lists of names for `alwaysInclude`. */

export { toolSelectorMiddleware } from "./adapters/langchain/tool-selector-middleware.js";
export type {
  ToolSelectorMiddleware,
  ToolSelectorMiddlewareOptions,
} from "./adapters/langchain/tool-selector-middleware.js";
export { presets } from "./adapters/langchain/presets.js";
