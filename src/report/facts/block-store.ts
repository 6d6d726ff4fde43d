/**
 * Remembers which tools each suggested block holds, so that a block that only grows can be
 * replayed.
 */

import type { SelectionRecord } from "../../core/record.js";

/** A tool of a block. */
export interface BlockTool {
  readonly name: string;
  /** Tokens of its definition; 0 if unknown. */
  readonly tokens: number;
}

/** Larger blocks, and more of them, are not remembered: the memory of a log stays bounded. */
const maxTools = 128;
const maxBlocks = 100_000;

/** Blocks by the hash of their fingerprint; equal blocks are kept once. */
export class BlockStore {
  readonly #blocks = new Map<number, readonly BlockTool[]>();
  readonly #tools = new Map<string, BlockTool>();

  /** Remembers the kept tools of a record as the block with this hash. */
  add(block: number, tools: SelectionRecord["tools"]): void {
    if (Number.isNaN(block) || this.#blocks.has(block) || this.#blocks.size >= maxBlocks) return;
    const kept = tools.filter((tool) => tool.kept);
    if (kept.length > maxTools) return;
    this.#blocks.set(
      block,
      kept.flatMap(({ name, tokens }) => (name === null ? [] : [this.#intern(name, tokens ?? 0)])),
    );
  }

  /** The tools of a block; `null` if it was not remembered. */
  find(block: number): readonly BlockTool[] | null {
    return this.#blocks.get(block) ?? null;
  }

  #intern(name: string, tokens: number): BlockTool {
    const key = `${tokens} ${name}`;
    const known = this.#tools.get(key) ?? { name, tokens };
    this.#tools.set(key, known);
    return known;
  }
}
