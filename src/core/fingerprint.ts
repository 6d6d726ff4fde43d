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

/** SHA-256 over the names, descriptions and input schemas of a catalog, in its order. */
export function catalogFingerprint(tools: readonly ToolDescription[]): string {
  return listFingerprint(tools.map(toolFingerprint));
}

/** A stable number in [0, 1) for an id: the first 48 bits of its SHA-256. */
export function hashToShare(id: string): number {
  return Number.parseInt(sha256Hex(id).slice(0, 12), 16) / 2 ** 48;
}
