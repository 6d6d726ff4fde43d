/**
 * The embedded text encoder: texts in, vectors of length 1 out; in process, without native code.
 */

import { untilAborted } from "../core/abort.js";
import { createSlices } from "../core/slices.js";
import { forwardPass, type ForwardPass, type LoadedModel } from "./forward-pass.js";
import { createJavaScriptKernel } from "./kernel/javascript-kernel.js";
import type { Kernel } from "./kernel/kernel.js";
import { createWasmKernel } from "./kernel/wasm-kernel.js";
import { createLanes } from "./lanes.js";
import { listSections } from "./model-shape.js";
import { numbersOffset, unpackModel, type PackedEncoder } from "./packed-model.js";
import { createWordPiece } from "./word-piece.js";
import { layOutWorkspace, type Workspace } from "./workspace.js";

/** How much of a text is read. */
export interface ReadingLimits {
  /**
   * The most tokens that are read, `[CLS]` and `[SEP]` included; the model's own limit still holds.
   * @default the model's
   */
  readonly maxTokens?: number | undefined;
  /**
   * The part of a longer text that is read.
   * @default "start"
   */
  readonly keep?: "start" | "end" | undefined;
}

/** Options of {@link EmbeddedTextEncoder.encodeAll}. */
export interface EncodingOptions extends ReadingLimits {
  readonly signal?: AbortSignal | undefined;
  /**
   * Gives way to work that somebody waits for.
   * @default false
   */
  readonly isBackground?: boolean | undefined;
  /** Called with each vector as soon as it is there; what it throws rejects the call. */
  readonly onVector?: ((vector: Float32Array, index: number) => void) | undefined;
}

/** Turns texts into vectors whose dot product says how close they are in meaning. */
export interface EmbeddedTextEncoder {
  /** Names the weights: vectors of encoders with different ids are not comparable. */
  readonly id: string;
  /** Length of a vector. */
  readonly dimensions: number;
  /** The most tokens that it can read of one text. */
  readonly maxTokens: number;
  /** What computes. Both give the same vectors, bit for bit. */
  readonly kernel: Kernel["name"];
  /** Encodes one text at once; this holds the event loop for some milliseconds. */
  encode(text: string, limits?: ReadingLimits): Float32Array;
  /**
   * Encodes texts in their order, in slices that hold the event loop for a few milliseconds. Calls
   * are worked through one after the other; background calls pause while others run.
   *
   * @throws the signal's reason, as soon as it aborts.
   */
  encodeAll(texts: readonly string[], options?: EncodingOptions): Promise<readonly Float32Array[]>;
}

/** Options of {@link createTextEncoder}. */
export interface TextEncoderOptions {
  /**
   * `"auto"`: WebAssembly where the host compiles it, else plain JavaScript.
   * @default "auto"
   */
  readonly kernel?: "auto" | "javascript" | undefined;
}

/**
 * One pass at once, one that somebody waits for, one in the background: each has a memory of its
 * own.
 */
const workspaceCount = 3;

interface LoadedEncoder {
  readonly model: LoadedModel;
  readonly workspaces: readonly Workspace[];
}

async function loadModel(
  packed: PackedEncoder,
  { kernel }: TextEncoderOptions,
): Promise<LoadedEncoder> {
  const { shape } = packed;
  const sections = listSections(shape);
  const numbers = numbersOffset(sections.unitCount);
  const workspaces: Workspace[] = [];
  let end = Math.ceil((numbers + 4 * sections.numberCount) / 16) * 16;
  for (let index = 0; index < workspaceCount; index += 1) {
    const workspace = layOutWorkspace(shape, end);
    workspaces.push(workspace);
    end = workspace.end;
  }
  const wasm = kernel === "javascript" ? null : await createWasmKernel(end);
  const loaded = wasm ?? createJavaScriptKernel(end);
  unpackModel(packed, loaded.memory);
  return { model: { kernel: loaded, shape, sections, numbers }, workspaces };
}

/**
 * Opens a packed model. Needs no network, no files and no native code.
 *
 * @throws {RangeError} if the weights do not fit the shape, or the vocabulary lacks a piece that
 * every text needs.
 * @example
 * const encoder = await createTextEncoder(packedModel);
 * const texts = ["Will it rain?", "get_weather: forecast of a city"];
 * const [question, tool] = await encoder.encodeAll(texts);
 */
export async function createTextEncoder(
  packed: PackedEncoder,
  options: TextEncoderOptions = {},
): Promise<EmbeddedTextEncoder> {
  const { id, shape } = packed;
  const wordPiece = createWordPiece(packed.vocabulary.split(" "));
  const { model, workspaces } = await loadModel(packed, options);
  const [atOnce, awaited, background] = workspaces as [Workspace, Workspace, Workspace];
  const lanes = createLanes({ awaited, background });

  function start(text: string, limits: ReadingLimits, space: Workspace): ForwardPass {
    const maxTokens = Math.min(limits.maxTokens ?? shape.maxTokens, shape.maxTokens);
    return forwardPass(model, space, wordPiece.encode(text, { maxTokens, keep: limits.keep }));
  }

  return {
    id,
    dimensions: shape.hidden,
    maxTokens: shape.maxTokens,
    kernel: model.kernel.name,
    encode(text, limits = {}) {
      const pass = start(text, limits, atOnce);
      for (;;) {
        const step = pass.next();
        if (step.done === true) return step.value;
      }
    },
    encodeAll(texts, options = {}) {
      const { signal = new AbortController().signal, isBackground = false, onVector } = options;
      const work = lanes.run(isBackground ? "background" : "awaited", async (space, turn) => {
        signal.throwIfAborted();
        const slices = createSlices(signal);
        const vectors: Float32Array[] = [];
        for (const text of texts) {
          const pass = start(text, options, space);
          let step = pass.next();
          while (step.done !== true) {
            await slices.pause();
            await turn();
            step = pass.next();
          }
          vectors.push(step.value);
          onVector?.(step.value, vectors.length - 1);
        }
        return vectors;
      });
      return untilAborted(work, signal);
    },
  };
}
