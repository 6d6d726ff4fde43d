import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileKeepTogether, findPrerequisites } from "../../src/core/keep-together.js";

const names = ["login", "transfer_money", "transfer_shares", "refund", "__proto__"];
const find = (kept: readonly string[], groups: readonly (readonly string[])[]) => [
  ...findPrerequisites(names, (name) => kept.includes(name), compileKeepTogether(groups)),
];

describe("findPrerequisites", () => {
  it.each([
    [
      "a later entry keeps the earlier ones",
      ["transfer_money"],
      [["login", "transfer_*"]],
      ["login"],
    ],
    ["an earlier entry keeps no later one", ["login"], [["login", "transfer_*"]], []],
    ["nothing kept, nothing added", [], [["login", "transfer_*"]], []],
    [
      "a glob as prerequisite",
      ["refund"],
      [["transfer_*", "refund"]],
      ["transfer_money", "transfer_shares"],
    ],
    [
      "a chain over two groups",
      ["refund"],
      [
        ["login", "transfer_money"],
        ["transfer_money", "refund"],
      ],
      ["transfer_money", "login"],
    ],
    [
      "a circle",
      ["refund"],
      [
        ["login", "refund"],
        ["refund", "login"],
      ],
      ["login"],
    ],
    ["a tool that is not there", ["refund"], [["absent", "refund"]], []],
    ["a member of Object.prototype", ["refund"], [["__proto__", "refund"]], ["__proto__"]],
  ])("%s", (_title, kept, groups, expected) => {
    expect(find(kept, groups)).toEqual(expected);
  });

  it("leaves nothing kept without its prerequisites", () => {
    const some = fc.subarray(names);
    const group = fc.array(fc.constantFrom(...names, "t*"), { minLength: 2, maxLength: 3 });
    fc.assert(
      fc.property(some, fc.array(group, { maxLength: 4 }), (kept, groups) => {
        const all = [...kept, ...find(kept, groups)];
        expect(find(all, groups)).toEqual([]);
      }),
    );
  });
});
