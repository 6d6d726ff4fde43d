/** The text that stands for a tool before the encoder; training/encoder/texts.py forms the same. */

import { read } from "../../core/read.js";
import type { ToolDescription } from "../../core/types.js";

const nameChars = 200;
const descriptionChars = 300;
const maxParameters = 24;
/** Longer descriptions are not searched for the end of white space. */
const scannedChars = 1200;

const caseChange = /(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/gu;
const separators = /[^\p{L}\p{N}]+/gu;

/** `createIssue_v2` becomes `create Issue v2`. */
function splitName(name: string): string {
  const spaced = name.slice(0, nameChars).replaceAll(caseChange, " ");
  return spaced.replaceAll(separators, " ").trim();
}

function listParameterNames(parameters: unknown): readonly string[] {
  const properties = read(parameters, "properties");
  if (typeof properties !== "object" || properties === null) return [];
  try {
    return Object.keys(properties).slice(0, maxParameters);
  } catch {
    // A proxy that refuses: the tool is known by the rest.
    return [];
  }
}

/**
 * The text of a tool: `name words: start of the description; parameter names`.
 *
 * @example
 * toolText({ name: "getWeather", description: "Forecast of a city." }); // "get Weather: Forecast of a city."
 */
export function toolText({ name, description = "", parameters }: ToolDescription): string {
  const squeezed = description.slice(0, scannedChars).replaceAll(/\s+/gu, " ").trim();
  const prose = squeezed.slice(0, descriptionChars).trim();
  const names = listParameterNames(parameters).map(splitName).join(", ");
  return [splitName(name), prose === "" ? "" : `: ${prose}`, names === "" ? "" : `; ${names}`].join(
    "",
  );
}
