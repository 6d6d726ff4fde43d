/** Kinship of a tool with the tools that fit a request best: it may belong to their kit, or supply what they ask for. */

import type { ToolProfile } from "./tool-profile.js";
import { nameRarity, type CatalogWords } from "./word-matches.js";

/** All between 0 and 1, but for the cosine. */
export interface Kinship {
  /** Share of the leaders that come from its server; the first count more. */
  readonly server: number;
  /** Largest share of its name that it has in common with a leader's; words rare among names count more. */
  readonly name: number;
  /** Largest share of its name that the parameters of a leader speak of, though the leader's name does not. */
  readonly need: number;
  /** How close it comes to one of the leaders in meaning. */
  readonly cosine: number;
}

/** A tool by words and, where there is one, by its vector. */
export interface KinTool {
  readonly profile: ToolProfile;
  readonly vector: Float32Array;
}

/** How many of the leaders are looked at by name, parameters and meaning. */
const closeLeaders = 3;

/** Dot product; of vectors of length 1 it is the cosine. */
export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index += 1) {
    sum += (a[index] as number) * (b[index] as number);
  }
  return sum;
}

/** Compares tools with the leaders, best first. */
export function createKinship(
  catalog: CatalogWords,
  leaders: readonly KinTool[],
): (tool: KinTool) => Kinship {
  const serverShares = new Map<string, number>();
  const all = leaders.reduce((sum, _, rank) => sum + 1 / (1 + rank), 0);
  for (const [rank, { profile }] of leaders.entries()) {
    const share = (serverShares.get(profile.server) ?? 0) + 1 / (1 + rank) / all;
    serverShares.set(profile.server, share);
  }
  const close = leaders.slice(0, closeLeaders).map((leader) => ({
    leader,
    names: new Set(leader.profile.name),
  }));
  return (tool) => {
    const kinship = {
      server: serverShares.get(tool.profile.server) ?? 0,
      name: 0,
      need: 0,
      cosine: 0,
    };
    for (const { leader, names } of close) {
      if (leader.profile === tool.profile) continue;
      let total = 0;
      let common = 0;
      let needed = 0;
      for (const word of tool.profile.name) {
        const weight = nameRarity(catalog, word);
        total += weight;
        if (names.has(word)) common += weight;
        else if (leader.profile.parameters.has(word)) needed += weight;
      }
      kinship.cosine = Math.max(kinship.cosine, dot(tool.vector, leader.vector));
      if (total <= 0) continue;
      kinship.name = Math.max(kinship.name, common / total);
      kinship.need = Math.max(kinship.need, needed / total);
    }
    return kinship;
  };
}
