import { describe, expect, it } from "vitest";
import { ToolSieveError } from "../../src/errors.js";
import { parseCases } from "../../src/evaluation/cases.js";

const line = (value: unknown): string => JSON.stringify(value);
const user = (content: string): unknown => ({ role: "user", content });

describe("a request", () => {
  it("keeps its labels, its candidates and the roles of its messages", () => {
    const messages = [{ role: "system", content: "Be brief." }, user("Where is A1001?")];
    expect(
      parseCases(
        line({ id: "1", set: "s", kind: "one", messages, candidates: ["a", "b"], gold: ["a"] }),
      ),
    ).toEqual([
      {
        id: "1",
        unit: "1",
        set: "s",
        labels: "applicable",
        messages: [
          { role: "system", text: "Be brief." },
          { role: "user", text: "Where is A1001?" },
        ],
        candidates: ["a", "b"],
        needed: ["a"],
      },
    ]);
  });

  it.each([
    { title: "none applies", gold: [] },
    { title: "at least one, unknown which", gold: null },
  ])("tells apart gold of $title", ({ gold }) => {
    const [one] = parseCases(line({ id: "1", messages: [user("x")], candidates: null, gold }));
    expect(one?.needed).toEqual(gold);
  });

  it.each([
    { needs_tool: true, needed: null },
    { needs_tool: false, needed: [] },
  ])("reads needs_tool $needs_tool over the whole catalog", ({ needs_tool, needed }) => {
    const [one] = parseCases(line({ id: "1", messages: [user("x")], needs_tool }));
    expect(one).toMatchObject({ candidates: null, needed, labels: "applicable" });
  });
});

describe("a conversation", () => {
  const text = line({
    id: "c",
    set: "mt",
    candidates: ["cd", "sort", "cp"],
    turns: [
      { user: ["Go to temp."], candidates_removed: ["cp", "sort"], gold: ["cd"] },
      { user: ["Sort it."], candidates_removed: ["cp", "sort"], gold: [] },
      { user: [], candidates_removed: ["cp"], gold: ["sort"] },
    ],
  });

  it("becomes one case a turn, with the earlier turns before it and one unit", () => {
    const cases = parseCases(text);
    expect(cases.map(({ id, unit, needed }) => [id, unit, needed])).toEqual([
      ["c/1", "c", ["cd"]],
      ["c/2", "c", []],
      ["c/3", "c", ["sort"]],
    ]);
    expect(cases[1]?.messages).toEqual([
      { role: "user", text: "Go to temp." },
      { role: "assistant", text: "", toolCalls: [{ name: "cd" }] },
      { role: "user", text: "Sort it." },
    ]);
  });

  it("does not offer what a turn removed", () => {
    expect(parseCases(text).map(({ candidates }) => candidates)).toEqual([
      ["cd"],
      ["cd"],
      ["cd", "sort"],
    ]);
  });

  it("judges a turn without new text by the conversation so far", () => {
    expect(parseCases(text)[2]?.messages.at(-1)).toEqual({ role: "user", text: "Sort it." });
  });

  it("takes the candidates of a turn where it names them", () => {
    const turns = [{ user: "Go.", candidates: ["x"], gold: ["x"] }];
    expect(parseCases(line({ id: "c", turns }))[0]?.candidates).toEqual(["x"]);
  });
});

describe("a trajectory", () => {
  const text = line({
    id: "t",
    messages: [
      user("Book a room."),
      { role: "assistant", content: "I log you in first." },
      { role: "call", name: "login", args: {}, result: { token: "t1" } },
      { role: "assistant", content: "Now I call book_room." },
      { role: "call", name: "book_room", args: {}, result: "done" },
      { role: "assistant", content: "Booked." },
    ],
  });

  it("becomes one case a call, over the whole catalog, as calls and not as judgments of all that fits", () => {
    expect(
      parseCases(text).map(({ id, unit, needed, candidates, labels }) => [
        id,
        unit,
        needed,
        candidates,
        labels,
      ]),
    ).toEqual([
      ["t/1", "t", ["login"], null, "called"],
      ["t/2", "t", ["book_room"], null, "called"],
    ]);
  });

  it("hides the assistant's text that announces the call, and shows earlier results", () => {
    const [first, second] = parseCases(text);
    expect(first?.messages).toEqual([{ role: "user", text: "Book a room." }]);
    expect(second?.messages.at(-1)).toEqual({
      role: "tool",
      text: '{"token":"t1"}',
      toolName: "login",
    });
  });
});

it("reads mixed formats, Windows line ends, a byte order mark and blank lines", () => {
  const text = `\uFEFF${line({ id: "1", messages: [user("x")], needs_tool: true })}\r\n\r\n${line({ id: "2", turns: [{ user: ["y"], gold: null }] })}\r\n`;
  expect(parseCases(text).map(({ id }) => id)).toEqual(["1", "2/1"]);
});

it.each([
  { title: "text that is not JSON", text: "secret{", message: "Line 2: text that is not JSON." },
  {
    title: "a wrong field",
    text: line({ id: "1", messages: "secret", candidates: null, gold: [] }),
    message: "Line 2: field `messages` missing or wrong.",
  },
  { title: "no object", text: '"secret"', message: "Line 2: field `` missing or wrong." },
])("names the line, not the content, of $title", ({ text, message }) => {
  const good = line({ id: "0", messages: [user("x")], needs_tool: true });
  const read = (): unknown => parseCases(`${good}\n${text}`);
  expect(read).toThrow(new ToolSieveError(message));
});
