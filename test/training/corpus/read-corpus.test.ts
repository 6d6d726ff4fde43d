import { describe, expect, it } from "vitest";
import {
  joinGroupTools,
  readCatalogs,
  readCorpus,
  readGroups,
  type ServerCatalog,
} from "../../../training/corpus/read-corpus.js";

function createCatalog(server: string, names: readonly string[]): ServerCatalog {
  const tools = names.map((name) => ({ name, description: "", parameters: {} }));
  return { server, registry: "npm", package: server, version: "1.0.0", licence: "MIT", tools };
}

describe("joinGroupTools", () => {
  const catalogs = [createCatalog("mail", ["send", "search"]), createCatalog("wiki", ["search"])];

  it("prefixes only the names that servers share", () => {
    const group = { id: "g01", split: "train", servers: ["mail", "wiki"] } as const;
    const names = joinGroupTools(group, catalogs).map(({ name }) => name);
    expect(names).toEqual(["send", "mail__search", "wiki__search"]);
  });

  it("rejects a server without a catalog", () => {
    const group = { id: "g01", split: "train", servers: ["maps"] } as const;
    expect(() => joinGroupTools(group, catalogs)).toThrow("maps");
  });
});

describe("the corpus", () => {
  it("holds every server at most once, in at most one group", () => {
    const catalogs = readCatalogs().map(({ server }) => server);
    const grouped = readGroups().flatMap(({ servers }) => servers);
    expect(new Set(catalogs).size).toBe(catalogs.length);
    expect(new Set(grouped).size).toBe(grouped.length);
  });

  it("gives each agent 90 to 150 tools with different names, and requests that fit them", () => {
    for (const { tools } of readCorpus()) {
      expect(tools.length).toBeGreaterThanOrEqual(90);
      expect(tools.length).toBeLessThanOrEqual(150);
      expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
    }
  });
});
