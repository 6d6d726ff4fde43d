import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ThreadMemory } from "../../src/core/types.js";
import { reduceMemory } from "../../src/selector/memory/thread-memory.js";
import { createToolSelector } from "../../src/selector/tool-selector.js";
import { user } from "../support/turns.js";
import type { TestTool } from "../support/turns.js";

const shared = ["refund", "login", "send_mail"];
const threads = 50;
/** The request that no tool serves. */
const nothing = 3;

/** Each thread has tools of its own beside the shared ones, so that a leak shows. */
const catalogOf = (thread: number, isChanged: boolean): readonly TestTool[] =>
  [...shared, `own_${thread}_a`, `own_${thread}_b`].map((name) => ({
    name,
    description: isChanged ? `Changed ${name}.` : `Does ${name} things.`,
  }));

const event = fc.record({
  thread: fc.nat(threads - 1),
  kind: fc.constantFrom("turn", "abort", "judge-fault", "catalog", "find", "call", "resume"),
  request: fc.nat(3),
  hasHostState: fc.boolean(),
});

type Event = typeof event extends fc.Arbitrary<infer E> ? E : never;

function createWorld() {
  let isDown = false;
  const states = new Map<number, ThreadMemory | null>();
  const changed = new Set<number>();
  const selector = createToolSelector({
    mode: "enforce",
    judge: async ({ candidates, context }) => {
      await Promise.resolve();
      if (isDown) throw new Error("down");
      return candidates.map(({ name }) => (name.endsWith(context.request) ? 0.9 : 0.1));
    },
    sticky: "thread",
    rejudge: "user-message",
    findTools: true,
    guard: true,
    fallbackMaxTools: 4,
    keepTogether: [["login", "refund"]],
  });
  const turnOf = ({ thread, request, hasHostState }: Event, signal?: AbortSignal) => ({
    messages: [user(["_a", "_b", "refund", "nothing"][request] ?? "", `m${request}`)],
    tools: catalogOf(thread, changed.has(thread)),
    threadId: `thread ${thread} ${hasHostState ? "state" : "process"}`,
    memory: hasHostState ? (states.get(thread) ?? null) : undefined,
    signal,
  });
  const save = (thread: number) => (change: unknown) => {
    const plain: unknown = JSON.parse(JSON.stringify(change));
    states.set(thread, reduceMemory(states.get(thread), plain));
  };
  async function step(given: Event, signal?: AbortSignal): Promise<readonly string[]> {
    return selector.run(turnOf(given, signal), {
      callModel: async (offered) => offered.map(({ name }) => name),
      readOutcome: (offered) => ({ called: offered.slice(0, 1) }),
      saveMemory: save(given.thread),
    });
  }
  return {
    async play(given: Event): Promise<void> {
      const { thread, kind, hasHostState } = given;
      if (kind === "abort") {
        const controller = new AbortController();
        const running = step(given, controller.signal);
        controller.abort(new Error("left"));
        await expect(running).rejects.toThrow("left");
        return;
      }
      if (kind === "catalog") changed.add(thread);
      if (kind === "resume" && states.has(thread)) {
        states.set(thread, JSON.parse(JSON.stringify(states.get(thread))) as ThreadMemory);
      }
      if (kind === "find") {
        const { found, memory } = await selector.find(turnOf(given), { query: "own things" });
        if (hasHostState) save(thread)(memory);
        for (const name of found)
          expect(catalogOf(thread, false).map((t) => t.name)).toContain(name);
        return;
      }
      if (kind === "call") {
        selector.guardCall(turnOf(given), `own_${thread}_a`);
        expect(selector.guardCall(turnOf(given), `own_${thread + 1}_a`)).toBeNull();
        return;
      }
      isDown = kind === "judge-fault";
      const offered = await step(given);
      isDown = false;
      const known = new Set(catalogOf(thread, false).map(({ name }) => name));
      expect(offered.filter((name) => !known.has(name))).toEqual([]);
      // Judgments of the same user message are used again: "nothing" may rightly offer nothing then.
      if (kind === "judge-fault" && given.request !== nothing) {
        expect(offered.length).toBeGreaterThan(0);
      }
    },
    states,
  };
}

describe("50 threads in any interleaving, with everything on", () => {
  it("no turn fails that would not have failed without a selector, and no tool leaks", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 80 }), async (events) => {
        const world = createWorld();
        // One after the other within a group, groups side by side.
        for (let at = 0; at < events.length; at += 5) {
          const group = events.slice(at, at + 5);
          if (group.some(({ kind }) => kind === "judge-fault")) {
            for (const given of group) await world.play(given);
          } else await Promise.all(group.map((given) => world.play(given)));
        }
        for (const [thread, memory] of world.states) {
          const names = [...(memory?.sticky ?? []), ...(memory?.revealed ?? [])];
          for (const { name } of names) {
            expect(catalogOf(thread, false).map((tool) => tool.name)).toContain(name);
          }
        }
      }),
      { numRuns: 60 },
    );
  }, 60_000);
});

describe("six turns in which the judged set toggles one tool", () => {
  it.each([
    ["off", 3],
    ["thread", 2],
  ] as const)("with sticky %s serialises at most %i tools blocks", async (sticky, most) => {
    const selector = createToolSelector({
      mode: "enforce",
      sticky,
      judge: ({ candidates, context }) =>
        candidates.map(({ name }) =>
          name === "refund" || context.request.includes(name) ? 0.9 : 0.1,
        ),
    });
    const tools = catalogOf(1, false);
    const blocks: string[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      const messages = [user(turn % 2 === 0 ? "hello" : "login", `m${turn}`)];
      await selector.run(
        { messages, tools, threadId: "t" },
        {
          callModel: async (offered) => blocks.push(JSON.stringify(offered)),
          readOutcome: () => ({ called: [] }),
        },
      );
    }
    const changes = blocks.filter((block, index) => index > 0 && block !== blocks[index - 1]);
    expect(new Set(blocks).size).toBeLessThanOrEqual(most);
    expect(changes.length).toBe(sticky === "off" ? 5 : 1);
  });
});
