/** What is embedded of a tool, and the record that carries its vector from one place to another. */

import * as z from "zod";
import { sha256Hex } from "../../core/fingerprint.js";
import { functionOption, parseOptions } from "../../core/parse-options.js";
import { listSchemaProperties } from "../../core/schema-properties.js";
import { cleanText, cutText } from "../../core/text.js";
import type { ToolDescription } from "../../core/types.js";
import { ToolSieveError } from "../../errors.js";
import { copyTools, mergeTools } from "../tool-index.js";
import { embeddingFields, embedTexts, type EmbeddingCallOptions } from "./embed-texts.js";

/** A tool with its vector, as plain JSON. */
export interface ToolDocument {
  readonly name: string;
  /** The text that was embedded. */
  readonly content: string;
  /** Of length 1. */
  readonly vector: readonly number[];
  readonly description?: string | undefined;
  readonly group?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** How a tool is read for embedding. */
export interface ToolReadingOptions {
  /**
   * The text that is embedded.
   * @default name, description, and the names and descriptions of the parameters
   */
  readonly content?: ((tool: ToolDescription) => string) | undefined;
  /**
   * The metadata that filters see and matches carry.
   * @default the tool's own
   */
  readonly metadata?: ((tool: ToolDescription) => Readonly<Record<string, unknown>>) | undefined;
}

export const toolReadingFields = {
  content: functionOption<(tool: ToolDescription) => string>().optional(),
  metadata:
    functionOption<(tool: ToolDescription) => Readonly<Record<string, unknown>>>().optional(),
};

const maxChars = 4000;
const maxParameters = 30;

/** The text of a tool, as a sentence model reads it best. */
function describeToolContent({ name, description, parameters }: ToolDescription): string {
  const words = name.replaceAll(/[_\-./:]+/g, " ").replaceAll(/(\p{Ll})(\p{Lu})/gu, "$1 $2");
  const properties = listSchemaProperties(parameters, { maxProperties: maxParameters }).map(
    (property) =>
      property.description === "" ? property.name : `${property.name}: ${property.description}`,
  );
  const inputs = properties.length === 0 ? "" : `Inputs: ${properties.join("; ")}`;
  return [words, description ?? "", inputs].filter((part) => part !== "").join("\n");
}

/** A tool as it is indexed: with the metadata and the text that the options say. */
export interface ReadTool {
  readonly tool: ToolDescription;
  readonly content: string;
  /** SHA-256 of the content. */
  readonly key: string;
}

/**
 * Reads tools.
 *
 * @throws {ToolSieveError} if a function of the user throws, or answers no text.
 */
export function readTools(
  tools: readonly ToolDescription[],
  options: ToolReadingOptions,
): readonly ReadTool[] {
  return copyTools(tools).map((tool, position) => {
    try {
      const content: unknown = (options.content ?? describeToolContent)(tool);
      if (typeof content !== "string") throw new TypeError("no text");
      const text = cutText(cleanText(content), maxChars).trim();
      const read = text === "" ? cleanText(tool.name) : text;
      const described =
        options.metadata === undefined ? tool : { ...tool, metadata: options.metadata(tool) };
      return { tool: described, content: read, key: sha256Hex(read) };
    } catch (error) {
      throw new ToolSieveError(
        `Expected \`content\` and \`metadata\` to read the tool at position ${position}, but they failed.`,
        { cause: error },
      );
    }
  });
}

const optionsSchema = z.strictObject({
  ...embeddingFields,
  ...toolReadingFields,
  tools: z.array(z.custom<ToolDescription>(), "a list of tools"),
});

export interface EmbedToolsOptions extends EmbeddingCallOptions, ToolReadingOptions {
  readonly tools: readonly ToolDescription[];
}

const never = new AbortController().signal;

/**
 * Embeds tools into plain records that can be stored anywhere, and handed to `embeddingToolIndex`
 * as `documents`, where they are not embedded again. Of tools with one name the last is embedded.
 *
 * @throws {InvalidOptionsError} if an option is wrong or a tool has no name.
 * @throws {ToolSieveError} if the model fails or a vector is missing, not finite or of another
 *   length.
 * @example
 * const { documents } = await embedTools({ embeddings, tools });
 * await writeFile("tools.json", JSON.stringify(documents));
 */
export async function embedTools(
  options: EmbedToolsOptions,
  { signal = never }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<{ readonly documents: readonly ToolDocument[] }> {
  const settings = parseOptions(optionsSchema, options, "embedTools");
  const tools = [...mergeTools(undefined, copyTools(settings.tools)).values()];
  const read = readTools(tools, settings);
  const vectors = await embedTexts(
    read.map(({ content }) => content),
    settings,
    signal,
  );
  const documents = read.map(({ tool, content }, at) => ({
    name: tool.name,
    content,
    vector: [...(vectors[at] ?? [])],
    description: tool.description,
    group: tool.group,
    metadata: tool.metadata,
  }));
  return { documents };
}
