/** Entry `toolsieve/langchain`: the middleware for `createAgent`, and lists of names for `alwaysInclude`. */

export { toolSelectorMiddleware } from "./adapters/langchain.js";
export type {
  ToolSelectorMiddleware,
  ToolSelectorMiddlewareOptions,
} from "./adapters/langchain.js";
export { presets } from "./adapters/presets.js";
