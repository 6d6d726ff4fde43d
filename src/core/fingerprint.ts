/** Fingerprints: SHA-256 over canonical JSON, and a stable share of an id for gradual rollout. */

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { canonicalJson } from "./json.js";
import type { ToolDescription } from "./types.js";

/** SHA-256 of the UTF-8 bytes of a text, as 64 hex digits. */
export function sha256Hex(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

/** SHA-256 of one tool: its name, description and input schema. */
export function toolFingerprint(tool: ToolDescription): string {
  return sha256Hex(canonicalJson([tool.name, tool.description ?? null, tool.parameters ?? null]));
}

/** SHA-256 of a list of tool fingerprints, in the order given. */
export function listFingerprint(fingerprints: readonly string[]): string {
  return sha256Hex(fingerprints.join("\n"));
}

/** Of frozen tools, which stay as they are: a catalog of thousands is compared on every search. */
const frozenTools = new WeakMap<ToolDescription, string>();

/**
 * SHA-256 of all that an index keeps of a tool: what {@link toolFingerprint} covers, its group and
 * its metadata.
 */
function hashIndexedTool(tool: ToolDescription): string {
  const { name, description, parameters, group, metadata } = tool;
  return sha256Hex(
    canonicalJson([name, description ?? null, parameters ?? null, group ?? null, metadata ?? null]),
  );
}

function indexedFingerprint(tool: ToolDescription): string {
  if (!Object.isFrozen(tool)) return hashIndexedTool(tool);
  const fingerprint = frozenTools.get(tool) ?? hashIndexedTool(tool);
  frozenTools.set(tool, fingerprint);
  return fingerprint;
}

/**
 * SHA-256 over the names, descriptions, input schemas, groups and metadata of a catalog, in its
 * order: equal as long as an index of it is up to date. A frozen tool is read once.
 *
 * @example
 * catalogFingerprint(tools) === catalogFingerprint(structuredClone(tools)); // true
 */
export function catalogFingerprint(tools: readonly ToolDescription[]): string {
  return listFingerprint(tools.map(indexedFingerprint));
}

/** A stable number in [0, 1) for an id: the first 48 bits of its SHA-256. */
export function hashToShare(id: string): number {
  return Number.parseInt(sha256Hex(id).slice(0, 12), 16) / 2 ** 48;
}
