/** Reads a request's tool choice in any provider's spelling. */

export interface ToolChoice {
  /** `none`: no call is allowed. `required`: the model must call something. `auto`: it may. */
  readonly kind: "auto" | "none" | "required";
  /** The tools that it names; these must not be hidden. */
  readonly names: readonly string[];
}

const auto: ToolChoice = { kind: "auto", names: [] };
const words: ReadonlyMap<string, ToolChoice["kind"]> = new Map([
  ["auto", "auto"],
  ["validated", "auto"],
  ["mode_unspecified", "auto"],
  ["none", "none"],
  ["any", "required"],
  ["required", "required"],
]);

function readPath(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) =>
      typeof inner === "object" && inner !== null && Object.hasOwn(inner, key)
        ? Reflect.get(inner, key)
        : undefined,
    value,
  );
}

function readFirst(value: unknown, ...paths: readonly (readonly string[])[]): unknown {
  return paths.map((path) => readPath(value, ...path)).find((found) => found !== undefined);
}

/** Names in a list of names or tools. */
function listNames(list: unknown): readonly string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown) => readName(item) ?? collectTexts(item));
}

const maxDepth = 5;
/** Keys whose value is a word of the spelling, never a name. */
const wordKeys: ReadonlySet<string> = new Set(["type", "mode"]);

/**
 * Every text in an unknown spelling. One of them is the chosen name; pinning a tool that another
 * word happens to name costs less than hiding the chosen one.
 */
function collectTexts(value: unknown, depth = 0): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || depth === maxDepth) return [];
  return Object.entries(value)
    .filter(([key]) => !wordKeys.has(key))
    .flatMap(([, inner]) => collectTexts(inner, depth + 1));
}

function readName(value: unknown): string | undefined {
  const name = readFirst(
    value,
    ["function", "name"],
    ["custom", "name"],
    ["tool", "name"],
    ["name"],
  );
  return typeof name === "string" ? name : undefined;
}

function readKind(word: unknown): ToolChoice["kind"] | undefined {
  return typeof word === "string" ? words.get(word.toLowerCase()) : undefined;
}

/** OpenAI's `allowed_tools`, in the spelling of the Responses or the Chat API. */
function readAllowedTools(choice: unknown): ToolChoice | undefined {
  if (readPath(choice, "type") !== "allowed_tools") return undefined;
  const body = readFirst(choice, ["allowed_tools"]) ?? choice;
  return {
    kind: readKind(readPath(body, "mode")) ?? "auto",
    names: listNames(readPath(body, "tools")),
  };
}

/** Google's function calling config, in either case. */
function readFunctionCallingConfig(choice: unknown): ToolChoice | undefined {
  const config = readFirst(
    choice,
    ["functionCallingConfig"],
    ["function_calling_config"],
    ["toolConfig", "functionCallingConfig"],
    ["tool_config", "function_calling_config"],
  );
  if (config === undefined) return undefined;
  const names = readFirst(config, ["allowedFunctionNames"], ["allowed_function_names"]);
  return { kind: readKind(readPath(config, "mode")) ?? "auto", names: listNames(names) };
}

/** Bedrock: `{ auto: {} }`, `{ any: {} }`, `{ tool: { name } }`. */
function readKeyed(choice: object): ToolChoice | undefined {
  if (Object.hasOwn(choice, "any")) return { kind: "required", names: [] };
  if (Object.hasOwn(choice, "auto")) return auto;
  return undefined;
}

function readObject(choice: object): ToolChoice {
  const wrapped = readFirst(choice, ["toolChoice"], ["tool_choice"]);
  if (wrapped !== undefined) return readToolChoice(wrapped);
  const special =
    readAllowedTools(choice) ?? readFunctionCallingConfig(choice) ?? readKeyed(choice);
  if (special !== undefined) return special;
  const name = readName(choice);
  if (name !== undefined) return { kind: "required", names: [name] };
  const kind = readKind(readFirst(choice, ["type"], ["mode"]));
  // An unknown type is a provider's own tool (`{ type: "file_search" }`): something must be called.
  return {
    kind: kind ?? (readPath(choice, "type") === undefined ? "auto" : "required"),
    names: collectTexts(choice),
  };
}

/** A keyword, or the name of a tool; in capitals (`REQUIRED`) it may be either. */
function readWord(word: string): ToolChoice {
  return { kind: readKind(word) ?? "required", names: words.has(word) ? [] : [word] };
}

/**
 * Never throws; an unreadable choice counts as `auto`. A bare string that is no keyword is the name
 * of a tool.
 */
export function readToolChoice(choice: unknown): ToolChoice {
  try {
    if (typeof choice === "string" && choice !== "") return readWord(choice);
    return typeof choice === "object" && choice !== null ? readObject(choice) : auto;
  } catch {
    return auto;
  }
}
