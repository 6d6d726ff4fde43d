/** Warms the per-tool data of the judge before the first turn. */

import { pinTools } from "../core/pins.js";
import type { CatalogReader } from "../core/catalog.js";
import type { ResolvedOptions } from "../core/options.js";
import type { ToolDescription } from "../core/types.js";
import { readCatalog } from "./read-turn.js";

export interface PrepareOptions {
  /**
   * How the tools are read; to be the `describe` of the turns to come.
   * @default understands OpenAI, Anthropic, MCP, Bedrock and LangChain shapes
   */
  readonly describe?: ((tool: never) => ToolDescription | null) | undefined;
}

/**
 * Hands the candidates among some tools to the judge's `prepare`.
 *
 * @throws the judge's error, or the signal's reason.
 */
export async function prepareTools(
  tools: readonly unknown[],
  { options, reader }: { readonly options: ResolvedOptions; readonly reader: CatalogReader },
  { describe, signal }: PrepareOptions & { readonly signal: AbortSignal },
): Promise<void> {
  const catalog = await readCatalog(
    tools,
    reader,
    describe as ((tool: unknown) => ToolDescription | null) | undefined,
  );
  const pins = pinTools(catalog, {
    alwaysInclude: options.alwaysInclude,
    pinHistory: false,
    toolChoice: { kind: "auto", names: [] },
    messages: [],
  });
  const candidates = catalog.flatMap(({ candidate }, index) =>
    pins[index] === null && candidate !== null ? [candidate] : [],
  );
  if (candidates.length > 0) await options.judge.prepare?.(candidates, { signal });
}
