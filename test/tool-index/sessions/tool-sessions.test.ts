import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  alwaysEvict,
  compositeEviction,
  createLexicalToolIndex,
  createToolSessions,
  InvalidOptionsError,
  lruEviction,
  neverEvict,
  ttlEviction,
} from "toolsieve";
import type { EvictionStrategy, ToolDescription, ToolIndex } from "toolsieve";

/** An index that keeps what it is asked, waits as told, and fails as told. */
function recordingIndex(
  options: { readonly waitMs?: () => number; readonly fail?: () => boolean } = {},
) {
  const events: string[] = [];
  const inner = createLexicalToolIndex({ topK: 50 });
  const held = new Set<string>();
  let open = 0;
  const writers = new Map<string, number>();
  let overlaps = 0;
  const pause = () => sleep(options.waitMs?.() ?? 0);
  async function write<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
    const count = (writers.get(sessionId) ?? 0) + 1;
    writers.set(sessionId, count);
    if (count > 1) overlaps += 1;
    open += 1;
    try {
      await pause();
      return await work();
    } finally {
      open -= 1;
      writers.set(sessionId, (writers.get(sessionId) ?? 1) - 1);
    }
  }
  const index: ToolIndex = {
    kind: "tool-index",
    indexTools: (sessionId, tools, call) =>
      write(sessionId, async () => {
        events.push(`index ${sessionId}`);
        if (options.fail?.() === true) throw new Error("the index is down");
        held.add(sessionId);
        await inner.indexTools(sessionId, tools, call);
      }),
    indexTool: (sessionId, tool, call) => index.indexTools(sessionId, [tool], call),
    clear: (sessionId) =>
      write(sessionId, async () => {
        events.push(`clear ${sessionId}`);
        held.delete(sessionId);
        await inner.clear(sessionId);
      }),
    async search(request, call) {
      events.push(`search ${request.sessionId}`);
      await pause();
      return inner.search(request, call);
    },
  };
  return {
    index,
    events,
    held,
    get overlaps() {
      return overlaps;
    },
  };
}

const weather: ToolDescription = { name: "get_weather", description: "Tells the weather." };
const refund: ToolDescription = { name: "refund", description: "Refunds a payment." };
const request = { query: "weather or refund of a payment" };

describe("createToolSessions", () => {
  it("indexes once, and again only when name, description, schema, group or metadata change", async () => {
    const { index, events } = recordingIndex();
    const sessions = createToolSessions({ index, eviction: neverEvict() });
    const versions: readonly ToolDescription[] = [
      weather,
      { ...weather },
      { ...weather, description: "Tells the weather of a city." },
      { ...weather, parameters: { type: "object" } },
      { ...weather, parameters: { type: "object" }, metadata: { team: "sky" } },
      { ...weather, parameters: { type: "object" }, metadata: { team: "sky" }, group: "g" },
    ];
    for (const version of versions) {
      const { matches } = await sessions.search("s", [version], request);
      expect(matches[0]?.metadata).toEqual(version.metadata);
    }
    expect(events.filter((event) => event === "index s")).toHaveLength(5);
    expect(events.slice(0, 5)).toEqual(["index s", "search s", "search s", "clear s", "index s"]);
  });

  it("forgets tools that are no longer there", async () => {
    const sessions = createToolSessions({ index: createLexicalToolIndex() });
    await sessions.search("s", [weather, refund], request);
    const { matches } = await sessions.search("s", [weather], request);
    expect(matches.map(({ name }) => name)).toEqual(["get_weather"]);
  });

  it("asks the strategy first, then clears and tells, then compares, indexes and searches", async () => {
    const { index, events } = recordingIndex();
    const eviction: EvictionStrategy = {
      onAccess: (id) => {
        events.push(`access ${id}`);
        return id === "b" ? ["a"] : [];
      },
      onRemoved: (id) => void events.push(`removed ${id}`),
    };
    const sessions = createToolSessions({ index, eviction });
    await sessions.search("a", [weather], request);
    await sessions.search("b", [weather], request);
    expect(events).toEqual([
      "access a",
      "index a",
      "search a",
      "access b",
      "clear a",
      "removed a",
      "index b",
      "search b",
    ]);
    expect(sessions.size).toBe(1);
  });

  it("indexes anew on every search with alwaysEvict, and keeps no session that is not in use", async () => {
    const { index, events, held } = recordingIndex();
    const sessions = createToolSessions({ index, eviction: alwaysEvict() });
    await sessions.search("a", [weather], request);
    await sessions.search("a", [weather], request);
    expect(events.filter((event) => event === "index a")).toHaveLength(2);
    for (let at = 0; at < 20; at += 1) await sessions.search(`s${at}`, [weather], request);
    expect(held.size).toBe(1);
    expect(sessions.size).toBe(1);
  });

  it("stays within an lru beside alwaysEvict", async () => {
    const { index, held } = recordingIndex();
    const eviction = compositeEviction(alwaysEvict(), lruEviction(2));
    const sessions = createToolSessions({ index, eviction });
    for (let at = 0; at < 20; at += 1) await sessions.search(`s${at}`, [weather], request);
    expect(held.size).toBeLessThanOrEqual(2);
  });

  it("clears what was not used for its time to live", async () => {
    let time = 0;
    const { index, held } = recordingIndex();
    const sessions = createToolSessions({ index, eviction: ttlEviction(100, { now: () => time }) });
    await sessions.search("a", [weather], request);
    time = 99;
    await sessions.search("b", [weather], request);
    expect([...held]).toEqual(["a", "b"]);
    time = 150;
    await sessions.search("c", [weather], request);
    expect([...held]).toEqual(["b", "c"]);
  });

  it("evicts on demand, and tells the strategy", async () => {
    const removed: string[] = [];
    const { index, held } = recordingIndex();
    const eviction = { onAccess: () => [], onRemoved: (id: string) => void removed.push(id) };
    const sessions = createToolSessions({ index, eviction });
    await sessions.search("a", [weather], request);
    await sessions.evict("a");
    await sessions.evict("never seen");
    expect([removed, held.size, sessions.size]).toEqual([["a", "never seen"], 0, 0]);
  });

  it("rejects when indexing fails, and tries again on the next search", async () => {
    let isDown = true;
    const { index } = recordingIndex({ fail: () => isDown });
    const sessions = createToolSessions({ index });
    await expect(sessions.search("a", [weather], request)).rejects.toThrow("the index is down");
    expect(sessions.size).toBe(0);
    isDown = false;
    const { matches } = await sessions.search("a", [weather], request);
    expect(matches).toHaveLength(1);
  });

  it("does not wait for another session that hangs", async () => {
    const inner = createLexicalToolIndex();
    const hanging: ToolIndex = {
      ...inner,
      search: (search, call) =>
        search.sessionId === "hangs" ? new Promise(() => undefined) : inner.search(search, call),
    };
    const sessions = createToolSessions({ index: hanging, eviction: lruEviction(1) });
    const controller = new AbortController();
    const hung = sessions.search("hangs", [weather], request, { signal: controller.signal });
    await sleep(1);
    const { matches } = await sessions.search("other", [weather], request);
    expect(matches).toHaveLength(1);
    controller.abort(new Error("enough"));
    await expect(hung).rejects.toThrow("enough");
  });

  it("ends a wait when the signal aborts; the write under way goes on", async () => {
    const { index, held } = recordingIndex({ waitMs: () => 20 });
    const sessions = createToolSessions({ index });
    const controller = new AbortController();
    const slow = sessions.search("a", [weather], request);
    const waiting = sessions.search("a", [refund], request, { signal: controller.signal });
    controller.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    await expect(slow).resolves.toMatchObject({ total: 1 });
    expect(held.has("a")).toBe(true);
  });

  it("searches each of two catalogs of one session with its own tools", async () => {
    const { index } = recordingIndex({ waitMs: () => Math.random() * 3 });
    const sessions = createToolSessions({ index });
    const results = await Promise.all(
      Array.from({ length: 20 }, async (_, at) => {
        const tool = at % 2 === 0 ? weather : refund;
        const { matches } = await sessions.search("shared", [tool], request);
        return matches.map(({ name }) => name).join() === tool.name;
      }),
    );
    expect(results).not.toContain(false);
  });

  it.each([
    [{}],
    [{ index: {} }],
    [{ index: createLexicalToolIndex(), eviction: {} }],
    [{ index: createLexicalToolIndex(), max: 3 }],
  ])("refuses the options %o", (options) => {
    expect(() => createToolSessions(options as never)).toThrow(InvalidOptionsError);
  });
});

describe("thirty-two sessions at once, with random access, eviction and changes", () => {
  it("never mix, never lose a write, and stay bounded", { timeout: 60_000 }, async () => {
    const step = fc.record({
      session: fc.nat({ max: 31 }),
      version: fc.nat({ max: 3 }),
      kind: fc.constantFrom("search", "search", "search", "search", "evict"),
      waitMs: fc.nat({ max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 100, maxLength: 200 }), async (walk) => {
        const max = 8;
        const waits = walk.map(({ waitMs }) => waitMs);
        let at = 0;
        const recording = recordingIndex({ waitMs: () => waits[(at += 1) % waits.length] ?? 0 });
        const sessions = createToolSessions({ index: recording.index, eviction: lruEviction(max) });
        const run = async ({ session, version, kind }: (typeof walk)[number]): Promise<void> => {
          const id = `session ${session}`;
          if (kind === "evict") return sessions.evict(id);
          const own = { ...weather, metadata: { session, version } };
          const extra = { ...refund, name: `refund_${session}_${version}` };
          const { matches, total } = await sessions.search(id, [own, extra], request);
          expect(total).toBe(2);
          const names = new Set(["get_weather", `refund_${session}_${version}`]);
          expect(new Set(matches.map(({ name }) => name))).toEqual(names);
          const found = matches.find(({ name }) => name === "get_weather");
          expect(found?.metadata).toEqual({ session, version });
          return undefined;
        };
        const lanes = Array.from({ length: 32 }, (_, lane) =>
          walk.filter((_, i) => i % 32 === lane),
        );
        await Promise.all(
          lanes.map(async (lane) => {
            for (const one of lane) await run(one);
          }),
        );
        expect(recording.overlaps).toBe(0);
        // A last access clears what was in use when it should have been cleared.
        await sessions.search("session 0", [weather], request);
        await sleep(20);
        expect(recording.held.size).toBeLessThanOrEqual(max);
        expect(sessions.size).toBe(recording.held.size);
      }),
      { numRuns: 15 },
    );
  });
});
