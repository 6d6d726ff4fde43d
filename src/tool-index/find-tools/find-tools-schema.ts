/** The JSON Schema of the finder's arguments, generated from the tools that are hidden. */

import type { JsonSchema, ToolDescription } from "../../core/types.js";

/** Limits of a request, in characters (code points), names and matches. */
export const findToolsLimits = {
  queryChars: 1000,
  nameChars: 256,
  names: 20,
  matches: 20,
  defaultMatches: 5,
  /** More groups than this are not listed in the schema; the parser knows them all the same. */
  listedGroups: 64,
} as const;

/** Options of {@link findToolsSchema}. */
export interface FindToolsSchemaOptions {
  /**
   * The matches that are returned where a request says nothing else, from 1 to 20.
   * @default 5
   */
  readonly limit?: number | undefined;
}

/** The groups of a catalog, sorted, each once. */
export function listGroups(catalog: readonly ToolDescription[]): readonly string[] {
  const groups = catalog.flatMap(({ group }) => group ?? []).filter((group) => group !== "");
  return [...new Set(groups)].toSorted((a, b) => (a < b ? -1 : 1));
}

/** The property `group`; none where no tool has a group. */
function groupProperty(groups: readonly string[]): JsonSchema {
  return groups.length === 0 ? {} : { group: groupSchema(groups) };
}

function groupSchema(groups: readonly string[]): JsonSchema {
  const description = "Search only in this group of tools; alone: list the group.";
  if (groups.length > findToolsLimits.listedGroups) {
    return { type: "string", minLength: 1, description };
  }
  const [only] = groups;
  return groups.length === 1
    ? { type: "string", const: only, description }
    : { type: "string", enum: groups, description };
}

/**
 * The JSON Schema (draft 2020-12) of a request to the finder: `query`, `names` and `group` in any
 * combination, and `limit`.
 *
 * It has no `anyOf` at its top, which several providers refuse: that at least one of the three is
 * there is checked by {@link parseFindToolsRequest}. Tools with a group make `group` an enum, or a
 * `const` if there is one group only.
 *
 * @param catalog the tools that can be found: those that are hidden.
 * @example
 * const parameters = findToolsSchema([{ name: "create_issue", description: "Opens an issue.",
 * group: "github" }]);
 */
export function findToolsSchema(
  catalog: readonly ToolDescription[],
  options: FindToolsSchemaOptions = {},
): JsonSchema {
  const { queryChars, nameChars, names, matches, defaultMatches } = findToolsLimits;
  const groups = listGroups(catalog);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: {
      query: {
        type: "string",
        minLength: 1,
        maxLength: queryChars,
        pattern: "\\S",
        description: "What the tool should do, in a few words.",
      },
      names: {
        type: "array",
        items: { type: "string", minLength: 1, maxLength: nameChars },
        minItems: 1,
        maxItems: names,
        description: "Names of tools that you expect to exist.",
      },
      ...groupProperty(groups),
      limit: {
        type: "integer",
        minimum: 1,
        maximum: matches,
        default: options.limit ?? defaultMatches,
        description: "How many matches to return.",
      },
    },
    minProperties: 1,
    additionalProperties: false,
  };
}
