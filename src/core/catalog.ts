/**
 * Reads the tools of a turn once per tool object: description, fingerprint, and tokens of the
 * definition.
 */

import { measurePromptChars } from "./batch.js";
import type { Candidate, JsonSchema, ToolDescription } from "./types.js";
import { callSafely } from "./call-safely.js";
import { sha256Hex, toolFingerprint } from "./fingerprint.js";
import { canonicalJson, toJson, writeJson } from "./json.js";
import type { ResolvedJudgeLimits } from "./limits.js";
import { sumKnown } from "./sum.js";
import { cleanText, cutText } from "./text.js";

/** A tool of the caller, as read. */
export interface CatalogTool<T = unknown> {
  readonly tool: T;
  readonly description: ToolDescription | null;
  /**
   * The description for judges, capped and cleaned: the same frozen object on every turn; `null`
   * for nameless tools.
   */
  readonly candidate: Candidate | null;
  /** SHA-256 over name, description and input schema. */
  readonly fingerprint: string;
  /** Tokens of the definition as JSON; `null` if unknown. */
  readonly definitionTokens: number | null;
}

export interface CatalogReaderOptions {
  readonly countTokens: (text: string) => number;
  readonly limits: ResolvedJudgeLimits;
  /** Called when a user's `describe` throws. */
  readonly onDescribeError: (error: unknown) => void;
}

type Describe = (tool: never) => ToolDescription | null;
type ReadTool = Omit<CatalogTool, "tool">;

interface ToolReadings {
  readonly byDescribe: WeakMap<Describe, ReadTool>;
  readonly latest: ReadTool;
}

/** Reads tools with one memory: a tool object is described once per `describe` function. */
export interface CatalogReader {
  read<T>(tool: T, describe: (tool: T) => ToolDescription | null): CatalogTool<T>;
}

function isDescription(value: unknown): value is ToolDescription {
  const name: unknown =
    typeof value === "object" && value !== null ? Reflect.get(value, "name") : undefined;
  return typeof name === "string" && name !== "";
}

function isSameTool(one: ReadTool, other: ReadTool): boolean {
  const describeRest = ({ description }: ReadTool): string =>
    canonicalJson([description?.group, description?.metadata]);
  return one.fingerprint === other.fingerprint && describeRest(one) === describeRest(other);
}

const isTokenCount = (value: unknown): value is number =>
  Number.isFinite(value) && Number(value) >= 0;

/**
 * A schema as any judge can take it: without cycles, in bounded size, with well-formed names; the
 * same object if it is so.
 */
function toPlainSchema(parameters: JsonSchema): JsonSchema | undefined {
  const json = writeJson(parameters);
  if (json === null) return undefined;
  return json.isExact ? parameters : (JSON.parse(json.text) as JsonSchema);
}

function toCandidate(tool: ToolDescription, limits: ResolvedJudgeLimits): Candidate {
  const { description, parameters } = tool;
  return Object.freeze({
    ...tool,
    name: tool.name.toWellFormed(),
    description:
      typeof description === "string"
        ? cutText(cleanText(description), limits.descriptionChars)
        : undefined,
    parameters: parameters === undefined ? undefined : toPlainSchema(parameters),
  });
}

/**
 * JSON of a tool as the model gets it, without a schema that cannot be serialised; `null` if
 * nothing can.
 */
function writeDefinition(tool: unknown, description: ToolDescription | null): string | null {
  if (description === null) return toJson(tool);
  const { name, description: summary, parameters } = description;
  return (
    toJson({ name, description: summary, parameters }) ?? toJson({ name, description: summary })
  );
}

export function createCatalogReader(options: CatalogReaderOptions): CatalogReader {
  const memory = new WeakMap<object, ToolReadings>();

  function describeSafely(tool: unknown, describe: Describe): ToolDescription | null {
    try {
      const description = describe(tool as never);
      return isDescription(description) ? description : null;
    } catch (error) {
      options.onDescribeError(error);
      return null;
    }
  }

  function countTokens(json: string | null): number | null {
    if (json === null) return null;
    const tokens = callSafely(() => options.countTokens(json), isTokenCount);
    return tokens === undefined ? null : Math.round(tokens);
  }

  function readTool(tool: unknown, describe: Describe): ReadTool {
    const description = describeSafely(tool, describe);
    const candidate = description === null ? null : toCandidate(description, options.limits);
    // Measured while tools are read one by one: splitting thousands at once would hold the event
    // loop.
    if (candidate !== null) measurePromptChars(candidate, options.limits);
    return {
      description,
      candidate,
      fingerprint:
        description === null ? sha256Hex(canonicalJson(tool)) : toolFingerprint(description),
      definitionTokens: countTokens(writeDefinition(tool, description)),
    };
  }

  /**
   * Two functions that say the same share one candidate, by which judges remember what they
   * computed.
   */
  function readAgain(tool: unknown, describe: Describe, other: ReadTool | undefined): ReadTool {
    const reading = readTool(tool, describe);
    return other !== undefined && isSameTool(reading, other) ? other : reading;
  }

  return {
    read(tool, describe) {
      if ((typeof tool !== "object" && typeof tool !== "function") || tool === null) {
        return { tool, ...readTool(tool, describe) };
      }
      const known = memory.get(tool);
      const before = known?.byDescribe.get(describe);
      if (before !== undefined) return { tool, ...before };
      const reading = readAgain(tool, describe, known?.latest);
      const byDescribe = known?.byDescribe ?? new WeakMap<Describe, ReadTool>();
      memory.set(tool, { byDescribe: byDescribe.set(describe, reading), latest: reading });
      return { tool, ...reading };
    },
  };
}

/** Sum of the definition tokens of a list of tools; `null` as soon as one is unknown. */
export function sumDefinitionTokens(tools: readonly CatalogTool[]): number | null {
  return sumKnown(tools.map(({ definitionTokens }) => definitionTokens));
}
