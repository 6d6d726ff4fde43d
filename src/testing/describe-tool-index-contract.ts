/**
 * The contract that every tool index keeps, as a test suite for your own: runs under vitest, jest,
 * or `node:test`.
 */

import type {
  ToolDescription,
  ToolIndex,
  ToolSearchRequest,
  ToolSearchResult,
} from "../core/types.js";
import {
  declareContract,
  freezeDeep,
  hostileNames,
  unserialisableTools,
  type Contract,
  type TestRunner,
} from "./contract.js";

export interface ToolIndexContractOptions {
  /** A new index for each test, able to answer: a remote one needs its service, or a stand-in. */
  readonly createIndex: () => ToolIndex | Promise<ToolIndex>;
  /** Runs after each test, for whatever `createIndex` started. */
  readonly cleanUp?: () => void | Promise<void>;
  /**
   * `describe` and `it`.
   * @default the global ones
   */
  readonly runner?: TestRunner;
}

const weather: ToolDescription = {
  name: "get_weather",
  description: "Tells the weather forecast of a city.",
  parameters: { type: "object", properties: { city: { type: "string" } } },
  group: "weather",
  metadata: { team: "sky", tags: ["forecast", "public"] },
};
const refund: ToolDescription = {
  name: "refund_payment",
  description: "Refunds a payment to the customer.",
  group: "billing",
  metadata: { team: "money" },
};
const invoice: ToolDescription = {
  name: "create_invoice",
  description: "Creates an invoice for a customer.",
  group: "billing",
  metadata: { team: "money", draft: true },
};
const tools = [weather, refund, invoice];
const sessionId = "contract";

function check(condition: boolean, expectation: string): void {
  if (!condition) throw new Error(`The tool index breaks its contract: ${expectation}`);
}

async function search(
  index: ToolIndex,
  request: Partial<ToolSearchRequest>,
): Promise<ToolSearchResult> {
  const query = "What is the weather forecast of a city?";
  const result = await index.search({ sessionId, query, ...request });
  check(Array.isArray(result.matches), "a result has an array `matches`.");
  const scores = result.matches.map(({ score }) => score);
  check(
    scores.every((score) => score >= 0 && score <= 1),
    "scores are from 0 to 1.",
  );
  check(
    scores.every((score, at) => at === 0 || score <= (scores[at - 1] ?? 0)),
    "the best match comes first.",
  );
  check(result.total >= result.matches.length, "`total` counts at least the matches.");
  const names = listNames(result);
  check(new Set(names).size === names.length, "a name occurs once.");
  return result;
}

const listNames = ({ matches }: ToolSearchResult): readonly string[] =>
  matches.map(({ name }) => name);

async function checkEmpty(index: ToolIndex, request: Partial<ToolSearchRequest>, when: string) {
  const { matches, total } = await search(index, request);
  check(matches.length === 0 && total === 0, `${when} answers empty.`);
}

async function readRejection(call: () => Promise<unknown>): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error ?? "nothing";
  }
  return undefined;
}

const sessions: Contract<ToolIndex> = [
  [
    "answers empty for an unknown, an empty and a cleared session",
    async (index) => {
      await checkEmpty(index, { sessionId: "never seen" }, "an unknown session");
      await index.indexTools(sessionId, []);
      await checkEmpty(index, {}, "a session without tools");
      await index.indexTools(sessionId, tools);
      await index.clear(sessionId);
      await checkEmpty(index, {}, "a cleared session");
      await index.clear("never seen");
    },
  ],
  [
    "keeps sessions apart",
    async (index) => {
      await index.indexTools("a", [weather]);
      await index.indexTools("b", [refund]);
      await index.indexTools("__proto__", [invoice]);
      const [a, b] = [
        await search(index, { sessionId: "a" }),
        await search(index, { sessionId: "b" }),
      ];
      check(!listNames(a).includes("refund_payment"), "a session finds its own tools alone.");
      check(!listNames(b).includes("get_weather"), "a session finds its own tools alone.");
      await index.clear("b");
      const after = await search(index, { sessionId: "a" });
      check(listNames(after).includes("get_weather"), "clearing a session leaves the others.");
    },
  ],
  [
    "replaces a tool of the same name; of duplicates the last wins",
    async (index) => {
      const later = { ...weather, metadata: { version: 2 } };
      await index.indexTools(sessionId, [weather, refund, later]);
      const { matches } = await search(index, {});
      const found = matches.find(({ name }) => name === "get_weather");
      check(found?.metadata?.["version"] === 2, "the last of two tools with one name wins.");
      await index.indexTool(sessionId, { ...weather, metadata: { version: 3 } });
      const { matches: next } = await search(index, {});
      const replaced = next.find(({ name }) => name === "get_weather");
      check(replaced?.metadata?.["version"] === 3, "a tool is replaced by one of its name.");
    },
  ],
  [
    "adds a single tool to those that are there",
    async (index) => {
      await index.indexTools(sessionId, [refund, invoice]);
      await index.indexTool(sessionId, weather);
      check(listNames(await search(index, {})).includes("get_weather"), "an added tool is found.");
    },
  ],
  [
    "shows what a session holds, where it can",
    async (index) => {
      if (index.inspect === undefined) return;
      await index.indexTools(sessionId, tools);
      const { total, tools: page } = await index.inspect(sessionId, { offset: 1, limit: 1 });
      check(total === 3 && page.length === 1, "`inspect` pages through the tools of a session.");
      const { total: none } = await index.inspect("never seen");
      check(none === 0, "`inspect` of an unknown session is empty.");
    },
  ],
];

const searching: Contract<ToolIndex> = [
  [
    "finds the tool that serves the request, with what is known of it",
    async (index) => {
      await index.indexTools(sessionId, tools);
      const { matches } = await search(index, {});
      const [best] = matches;
      check(best?.name === "get_weather", "the tool that serves the request comes first.");
      check(best?.group === "weather", "a match carries the tool's group.");
      check(best?.metadata?.["team"] === "sky", "a match carries the tool's metadata.");
      check(typeof best?.summary === "string", "a match carries a summary of the description.");
    },
  ],
  [
    "bounds the matches, not their total",
    async (index) => {
      const query = "Create an invoice for the customer and refund a payment to the customer";
      await index.indexTools(sessionId, tools);
      const all = await search(index, { query, maxResults: 3 });
      const one = await search(index, { query, maxResults: 1 });
      check(one.matches.length <= 1, "`maxResults` bounds the matches.");
      check(one.total === all.total, "`total` does not depend on `maxResults`.");
    },
  ],
  [
    "narrows by group and by metadata",
    async (index) => {
      await index.indexTools(sessionId, tools);
      const query = "customer invoice payment weather";
      const billing = await search(index, { query, group: "billing" });
      check(!listNames(billing).includes("get_weather"), "a group leaves the other tools out.");
      const filter = {
        op: "and",
        filters: [
          { op: "in", key: "team", values: ["money", "none"] },
          { op: "not", filter: { op: "eq", key: "draft", value: true } },
        ],
      } as const;
      const filtered = await search(index, { query: "refund a payment", filter });
      check(
        listNames(filtered).every((name) => name === "refund_payment"),
        "a filter leaves out the tools that do not meet it.",
      );
      const tagged = await search(index, { filter: { op: "eq", key: "tags", value: "public" } });
      check(listNames(tagged).includes("get_weather"), "an entry of a list meets a filter.");
      await checkEmpty(index, { group: "absent" }, "a group without tools");
      await checkEmpty(index, { filter: { op: "or", filters: [] } }, "a filter that no tool meets");
    },
  ],
  [
    "refuses a request that makes no sense, and still answers the next",
    async (index) => {
      await index.indexTools(sessionId, tools);
      for (const bad of [{ maxResults: 0 }, { maxResults: 1.5 }, { query: 3 }, { filter: {} }]) {
        const error = await readRejection(() =>
          index.search({ sessionId, query: "x", ...bad } as never),
        );
        check(error !== undefined, `a search with ${JSON.stringify(bad)} rejects.`);
      }
      check((await search(index, {})).matches.length > 0, "a refused search harms no other.");
    },
  ],
];

const surviving: Contract<ToolIndex> = [
  [
    "survives hostile names, and finds tools under the very names they were given",
    async (index) => {
      const hostile = hostileNames.map((name) => ({ name, description: "Tells the weather." }));
      await index.indexTools(sessionId, [...hostile, weather]);
      const given = new Set([...hostileNames, "get_weather"]);
      const found = await search(index, { maxResults: 50 });
      check(found.matches.length > 0, "hostile names do not hide the other tools.");
      check(
        listNames(found).every((name) => given.has(name)),
        "a match has the name of an indexed tool.",
      );
    },
  ],
  [
    "survives schemas that cannot be serialised, huge texts and empty queries",
    async (index) => {
      const huge = { name: "huge", description: "word ".repeat(10_000) };
      await index.indexTools(sessionId, [...unserialisableTools(), huge, weather]);
      check(listNames(await search(index, {})).includes("get_weather"), "odd tools harm no other.");
      for (const query of ["", "   ", "\ud800", "the of a", "x ".repeat(20_000)]) {
        await search(index, { query });
      }
    },
  ],
  [
    "leaves tools as they are",
    async (index) => {
      await index.indexTools(sessionId, freezeDeep(structuredClone(tools)));
      await search(index, {});
    },
  ],
  [
    "refuses a tool without a name as a whole: what was there still answers",
    async (index) => {
      await index.indexTools(sessionId, [weather]);
      const nameless = [refund, { description: "Has no name." } as unknown as ToolDescription];
      const error = await readRejection(() => index.indexTools(sessionId, nameless));
      check(error !== undefined, "a tool without a name is refused.");
      const names = listNames(await search(index, { query: "Refund a payment to the customer" }));
      check(!names.includes("refund_payment"), "of a refused list nothing is indexed.");
      check(
        listNames(await search(index, {})).includes("get_weather"),
        "the old tools still answer.",
      );
    },
  ],
  [
    "rejects with the signal's reason when that has aborted before",
    async (index) => {
      const reason = new Error("called off");
      const options = { signal: AbortSignal.abort(reason) };
      await index.indexTools(sessionId, [weather]);
      const calls = [
        () => index.indexTools(sessionId, [refund], options),
        () => index.indexTool(sessionId, refund, options),
        () => index.search({ sessionId, query: "weather" }, options),
      ];
      for (const call of calls) {
        check((await readRejection(call)) === reason, "an aborted call rejects with the reason.");
      }
      check(listNames(await search(index, {})).includes("get_weather"), "an abort harms nothing.");
    },
  ],
  [
    "answers many sessions at one time",
    async (index) => {
      const ids = Array.from({ length: 16 }, (_, at) => `session ${at}`);
      await Promise.all(
        ids.map(async (id, at) => {
          await index.indexTools(id, [{ ...weather, metadata: { at } }, refund]);
          const { matches } = await search(index, { sessionId: id });
          const found = matches.find(({ name }) => name === "get_weather");
          check(found?.metadata?.["at"] === at, "a session finds its own tools alone.");
        }),
      );
    },
  ],
];

/**
 * Declares the suite that every tool index of this package passes: sessions kept apart, the last of
 * two names wins, matches ordered and bounded, filters, hostile names and schemas, failures as a
 * whole, aborts.
 *
 * The index must find a tool by a sentence of its description. How well it ranks is for a
 * measurement to say.
 *
 * @example
 * import { describe, it } from "vitest";
 * describeToolIndexContract("my index", {
 *   createIndex: () => createLexicalToolIndex(),
 *   runner: { describe, it },
 * });
 */
export function describeToolIndexContract(name: string, options: ToolIndexContractOptions): void {
  declareContract(`${name} keeps the tool index contract`, {
    contract: [...sessions, ...searching, ...surviving],
    create: options.createIndex,
    cleanUp: options.cleanUp,
    runner: options.runner,
  });
}
