import { setTimeout as sleep } from "node:timers/promises";
import { InMemoryStore } from "@langchain/langgraph";
import { describe, expect, it } from "vitest";
import { InvalidOptionsError, metadataFilter, ToolSieveError } from "toolsieve";
import type { ToolDescription } from "toolsieve";
import { embeddingToolIndex, embedTools } from "toolsieve/models";
import type { ToolStore } from "toolsieve/models";
import { describeToolIndexContract } from "toolsieve/testing";
import { embedWords, wordEmbeddings } from "../../support/word-embeddings.js";

describeToolIndexContract("the embedding index in memory", {
  createIndex: () => embeddingToolIndex({ embeddings: wordEmbeddings(), topK: 20 }),
  runner: { describe, it },
});

describeToolIndexContract("the embedding index in a LangGraph store", {
  createIndex: () =>
    embeddingToolIndex({ embeddings: wordEmbeddings(), topK: 20, store: new InMemoryStore() }),
  runner: { describe, it },
});

const weather: ToolDescription = {
  name: "get_weather",
  description: "Tells the weather.",
  metadata: { team: "sky" },
};
const refund: ToolDescription = {
  name: "refund",
  description: "Returns a payment.",
  metadata: { team: "money" },
};
const invoice: ToolDescription = { name: "create_invoice", description: "Writes an invoice." };
const tools = [weather, refund, invoice];

const named = (result: { readonly matches: readonly { readonly name: string }[] }) =>
  result.matches.map(({ name }) => name);

describe("embeddingToolIndex", () => {
  it("finds by meaning where no word is shared", async () => {
    const index = embeddingToolIndex({ embeddings: wordEmbeddings(), topK: 1 });
    await index.indexTools("s", tools);
    const found = await index.search({ sessionId: "s", query: "cash" });
    expect([named(found), found.total]).toEqual([["refund"], expect.any(Number)]);
  });

  it("embeds texts in batches, a bounded number at a time", async () => {
    const embeddings = wordEmbeddings({ answer: () => sleep(5) });
    const many = Array.from({ length: 25 }, (_, at) => ({ name: `t${at}`, description: `d${at}` }));
    const index = embeddingToolIndex({ embeddings, topK: 5, batchSize: 4, concurrency: 2 });
    await index.indexTools("s", many);
    expect(embeddings.batches.map(({ length }) => length)).toEqual([4, 4, 4, 4, 4, 4, 1]);
    expect(embeddings.peak).toBe(2);
  });

  it("embeds a text once: over sessions, calls, and calls at one time", async () => {
    const embeddings = wordEmbeddings({ answer: () => sleep(5) });
    const index = embeddingToolIndex({ embeddings, topK: 5 });
    await Promise.all(["a", "b", "c"].map((id) => index.indexTools(id, tools)));
    await index.indexTools("d", tools);
    await index.clear("a");
    await index.indexTools("a", tools);
    await index.indexTool("a", { ...weather, metadata: { other: true } });
    expect(embeddings.batches.flat()).toHaveLength(3);
    await index.indexTool("a", { ...weather, description: "Tells the weather of tomorrow." });
    expect(embeddings.batches.flat()).toHaveLength(4);
  });

  it("goes on for the other when one of two that wait is aborted", async () => {
    const embeddings = wordEmbeddings({ answer: () => sleep(20) });
    const index = embeddingToolIndex({ embeddings, topK: 5 });
    const controller = new AbortController();
    const aborted = index.indexTools("a", tools, { signal: controller.signal });
    const other = index.indexTools("b", tools);
    controller.abort(new Error("enough"));
    await expect(aborted).rejects.toThrow("enough");
    await other;
    await expect(index.search({ sessionId: "b", query: "cash" })).resolves.toMatchObject({
      matches: [{ name: "refund" }, {}, {}],
    });
    await expect(index.search({ sessionId: "a", query: "cash" })).resolves.toEqual({
      matches: [],
      total: 0,
    });
  });

  it("stops asking the model when all who wait are aborted", async () => {
    const embeddings = wordEmbeddings({ answer: () => sleep(10) });
    const many = Array.from({ length: 20 }, (_, at) => ({ name: `t${at}`, description: `d${at}` }));
    const index = embeddingToolIndex({ embeddings, topK: 5, batchSize: 1, concurrency: 1 });
    const controller = new AbortController();
    const aborted = index.indexTools("a", many, { signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(aborted).rejects.toThrow("enough");
    await sleep(50);
    expect(embeddings.batches.length).toBeLessThan(4);
  });

  it("repeats a failed request, and gives up after its retries", async () => {
    const flaky = wordEmbeddings({
      answer: (_, call) => (call < 3 ? Promise.reject(new Error("secret text")) : undefined),
    });
    await embeddingToolIndex({ embeddings: flaky, topK: 5 }).indexTools("s", tools);
    expect(flaky.batches).toHaveLength(3);
    const dead = wordEmbeddings({ answer: () => Promise.reject(new Error("secret text")) });
    const index = embeddingToolIndex({ embeddings: dead, topK: 5, retries: 1 });
    const error = await index.indexTools("s", tools).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ToolSieveError);
    expect(String(error)).not.toContain("secret");
    expect(dead.batches).toHaveLength(2);
  });

  const bad = (vector: unknown) => (texts: readonly string[]) =>
    texts.map((text, at) => (at === texts.length - 1 ? vector : embedWords(text)));

  it.each<[string, (texts: readonly string[]) => unknown, string]>([
    ["too few vectors", (texts) => texts.slice(1).map(embedWords), "to answer 2 vectors, got 1"],
    ["no list", () => ({ data: [] }), "to answer 2 vectors, got 0"],
    ["NaN", bad([Number.NaN, ...embedWords("x").slice(1)]), "finite numbers"],
    ["infinity", bad([Infinity, ...embedWords("x").slice(1)]), "finite numbers"],
    ["text", bad("vector"), "finite numbers"],
    ["an empty vector", bad([]), "finite numbers"],
    ["another length", bad([1, 2, 3]), "one length"],
    ["another length than before", (texts) => texts.map(() => [1, 2, 3]), "one length"],
  ])("refuses %s as a whole; the session still answers", async (_, answer, message) => {
    let isBad = false;
    const embeddings = wordEmbeddings({ answer: (texts) => (isBad ? answer(texts) : undefined) });
    const index = embeddingToolIndex({ embeddings, topK: 5, retries: 0 });
    await index.indexTools("s", [weather]);
    isBad = true;
    const error = await index.indexTools("s", [refund, invoice]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ToolSieveError);
    expect(String(error)).toContain(message);
    const found = await index.search({ sessionId: "s", query: "umbrella" });
    expect(named(found)).toEqual(["get_weather"]);
  });

  it.each<[string, unknown, string]>([
    ["NaN", [Number.NaN], "finite numbers"],
    ["another length", [1, 2], "one length"],
    ["nothing", { vector: [] }, "finite numbers"],
  ])("refuses a query's vector with %s", async (_, vector, message) => {
    const embeddings = wordEmbeddings({ answerQuery: () => vector });
    const index = embeddingToolIndex({ embeddings, topK: 5 });
    await index.indexTools("s", tools);
    await expect(index.search({ sessionId: "s", query: "rain" })).rejects.toThrow(message);
  });

  it("does not ask the model for an unknown session, an empty query or a filter without tools", async () => {
    const embeddings = wordEmbeddings();
    const index = embeddingToolIndex({ embeddings, topK: 5 });
    await index.search({ sessionId: "s", query: "rain" });
    await index.indexTools("s", tools);
    await index.search({ sessionId: "s", query: "  \u200b " });
    await index.search({ sessionId: "s", query: "rain", group: "none" });
    expect(embeddings.queries).toEqual([]);
  });

  it("sends well-formed, bounded texts", async () => {
    const embeddings = wordEmbeddings();
    const index = embeddingToolIndex({ embeddings, topK: 5 });
    await index.indexTools("s", [{ name: "a\ud800", description: `${"x".repeat(90_000)}\ud83d` }]);
    await index.search({ sessionId: "s", query: `${"y ".repeat(50_000)}\ud83d` });
    for (const text of [...embeddings.batches.flat(), ...embeddings.queries]) {
      expect(text.isWellFormed()).toBe(true);
      expect(text.length).toBeLessThanOrEqual(4000);
    }
  });

  it("embeds the content, and filters by the metadata, that the options say", async () => {
    const embeddings = wordEmbeddings();
    const index = embeddingToolIndex({
      embeddings,
      topK: 5,
      content: ({ name }) => `about ${name}`,
      metadata: ({ name }) => ({ length: name.length }),
      filter: metadataFilter.not(metadataFilter.eq("length", 6)),
    });
    await index.indexTools("s", tools);
    expect(embeddings.batches.flat()[0]).toBe("about get_weather");
    const found = await index.search({ sessionId: "s", query: "refund" });
    expect(named(found)).not.toContain("refund");
    expect(found.matches[0]?.metadata).toEqual({ length: expect.any(Number) as number });
  });

  it("fails as a whole where a function of the user fails", async () => {
    const index = embeddingToolIndex({
      embeddings: wordEmbeddings(),
      topK: 5,
      content: ({ name }) => (name === "refund" ? (undefined as never) : name),
    });
    await expect(index.indexTools("s", tools)).rejects.toThrow("position 1");
    await expect(index.search({ sessionId: "s", query: "x" })).resolves.toMatchObject({ total: 0 });
  });

  it("leaves out matches under minScore", async () => {
    const index = embeddingToolIndex({ embeddings: wordEmbeddings(), topK: 5, minScore: 0.3 });
    await index.indexTools("s", tools);
    const found = await index.search({ sessionId: "s", query: "rain" });
    expect(named(found)).toEqual(["get_weather"]);
    expect(found.total).toBe(1);
  });

  it.each([
    [{}],
    [{ embeddings: {}, topK: 1 }],
    [{ embeddings: wordEmbeddings(), topK: null }],
    [{ embeddings: wordEmbeddings(), topK: 0 }],
    [{ embeddings: wordEmbeddings(), topK: 2 ** 60 }],
    [{ embeddings: wordEmbeddings(), topK: 1.5 }],
    [{ embeddings: wordEmbeddings(), topK: 1, minScore: Number.NaN }],
    [{ embeddings: wordEmbeddings(), topK: 1, minScore: Infinity }],
    [{ embeddings: wordEmbeddings(), topK: 1, store: {} }],
    [{ embeddings: wordEmbeddings(), topK: 1, filter: { op: "like" } }],
    [{ embeddings: wordEmbeddings(), topK: 1, content: "name" }],
    [{ embeddings: wordEmbeddings(), topK: 1, topk: 3 }],
  ])("refuses the options %o", (options) => {
    expect(() => embeddingToolIndex(options as never)).toThrow(InvalidOptionsError);
  });
});

describe("the embedding index without embeddings", () => {
  it("uses the encoder of the package", { timeout: 60_000 }, async () => {
    const index = embeddingToolIndex({ topK: 1, store: new InMemoryStore() });
    await index.indexTools("s", tools);
    const found = await index.search({
      sessionId: "s",
      query: "will I need an umbrella tomorrow?",
    });
    expect(named(found)).toEqual(["get_weather"]);
  });
});

describe("embedTools", () => {
  it("gives plain records that an index takes over without embedding again", async () => {
    const { documents } = await embedTools({ embeddings: wordEmbeddings(), tools });
    expect(documents[0]).toMatchObject({ name: "get_weather", metadata: { team: "sky" } });
    const travelled = JSON.parse(JSON.stringify(documents)) as typeof documents;
    const embeddings = wordEmbeddings();
    const index = embeddingToolIndex({ embeddings, topK: 1, documents: travelled });
    await index.indexTools("s", tools);
    expect(embeddings.batches).toEqual([]);
    expect(named(await index.search({ sessionId: "s", query: "umbrella" }))).toEqual([
      "get_weather",
    ]);
  });

  it("embeds the last of two tools with one name", async () => {
    const embeddings = wordEmbeddings();
    const later = { ...weather, description: "Tells the weather of tomorrow." };
    const { documents } = await embedTools({ embeddings, tools: [weather, refund, later] });
    expect(documents.map(({ content }) => content)).toEqual([
      "get weather\nTells the weather of tomorrow.",
      "refund\nReturns a payment.",
    ]);
  });

  it("fails as a whole", async () => {
    const embeddings = wordEmbeddings({ answer: () => [] });
    await expect(embedTools({ embeddings, tools, retries: 0 })).rejects.toThrow("got 0");
    await expect(embedTools({ embeddings, tools: [{} as never] })).rejects.toThrow(
      InvalidOptionsError,
    );
  });
});

describe("the embedding index in a store", () => {
  it("finds without embedding what another index of the same store has indexed", async () => {
    const store = new InMemoryStore();
    await embeddingToolIndex({ embeddings: wordEmbeddings(), topK: 3, store }).indexTools(
      "s",
      tools,
    );
    const embeddings = wordEmbeddings();
    const index = embeddingToolIndex({ embeddings, topK: 1, store });
    const found = await index.search({ sessionId: "s", query: "umbrella" });
    expect(named(found)).toEqual(["get_weather"]);
    expect(found.matches[0]?.metadata).toEqual({ team: "sky" });
    await index.indexTools("s", tools);
    expect(embeddings.batches).toEqual([]);
  });

  it("sees what another index has changed or cleared since", async () => {
    const store = new InMemoryStore();
    const [one, other] = [1, 2].map(() =>
      embeddingToolIndex({ embeddings: wordEmbeddings(), topK: 1, store }),
    );
    await one?.indexTools("s", [refund]);
    await other?.search({ sessionId: "s", query: "rain" });
    await one?.indexTools("s", [weather]);
    const found = await other?.search({ sessionId: "s", query: "rain" });
    expect(found?.matches[0]?.name).toBe("get_weather");
    await one?.clear("s");
    await expect(other?.search({ sessionId: "s", query: "rain" })).resolves.toMatchObject({
      total: 0,
    });
  });

  it("keeps the vectors of two models apart", async () => {
    const store = new InMemoryStore();
    const model = (name: string) => Object.assign(wordEmbeddings(), { model: name });
    await embeddingToolIndex({ embeddings: model("one"), topK: 1, store }).indexTools("s", tools);
    const other = model("two");
    const index = embeddingToolIndex({ embeddings: other, topK: 1, store });
    await expect(index.search({ sessionId: "s", query: "rain" })).resolves.toMatchObject({
      total: 0,
    });
    await index.indexTools("s", tools);
    expect(other.batches.flat()).toHaveLength(3);
  });

  it("does not let a store with an index of its own embed again", async () => {
    const embeddings = wordEmbeddings();
    const store = new InMemoryStore({ index: { dims: 64, embeddings: embeddings as never } });
    await embeddingToolIndex({ embeddings, topK: 1, store }).indexTools("s", tools);
    expect(embeddings.batches.flat()).toHaveLength(3);
  });

  it.each<[string, (store: InMemoryStore) => ToolStore]>([
    [
      "a vector that is gone",
      (store) => ({
        get: async (namespace, key) =>
          namespace[1] === "vectors" ? null : store.get(namespace, key),
        put: (...call) => store.put(...(call as Parameters<InMemoryStore["put"]>)),
        delete: (...call) => store.delete(...call),
      }),
    ],
    [
      "a value that someone else wrote",
      (store) => ({
        get: async () => ({ value: { revision: "x", vector: "?", tools: "?" } }),
        put: (...call) => store.put(...(call as Parameters<InMemoryStore["put"]>)),
        delete: (...call) => store.delete(...call),
      }),
    ],
  ])("takes a session with %s for one that was never indexed", async (_, damage) => {
    const store = new InMemoryStore();
    await embeddingToolIndex({ embeddings: wordEmbeddings(), topK: 3, store }).indexTools(
      "s",
      tools,
    );
    const index = embeddingToolIndex({
      embeddings: wordEmbeddings(),
      topK: 3,
      store: damage(store),
    });
    await expect(index.search({ sessionId: "s", query: "rain" })).resolves.toMatchObject({
      total: 0,
    });
  });

  it("rejects when the store fails, and answers again when it is back", async () => {
    const store = new InMemoryStore();
    let isDown = false;
    const flaky: ToolStore = {
      get: async (namespace, key) => {
        if (isDown) throw new Error("down");
        return store.get(namespace, key);
      },
      put: async (namespace, key, value, index) => {
        if (isDown) throw new Error("down");
        await store.put(namespace, key, value, index);
      },
      delete: (namespace, key) => store.delete(namespace, key),
    };
    const index = embeddingToolIndex({ embeddings: wordEmbeddings(), topK: 3, store: flaky });
    await index.indexTools("s", [weather]);
    isDown = true;
    await expect(index.indexTools("s", [refund])).rejects.toThrow();
    await expect(index.search({ sessionId: "s", query: "rain" })).rejects.toThrow();
    isDown = false;
    expect(named(await index.search({ sessionId: "s", query: "rain" }))).toEqual(["get_weather"]);
  });
});
