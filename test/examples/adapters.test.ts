import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";

async function runExample(name: string): Promise<string> {
  const path = fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", "tsx", path]);
  return stdout;
}

it(
  "examples/create-agent.ts hides nothing in shadow, and what the judge rejects in enforce",
  { timeout: 60_000 },
  async () => {
    const output = await runExample("create-agent.ts");
    expect(output).toMatch(/^shadow: the model saw query_order, refund_payment, .*call_a_human$/m);
    expect(output).toMatch(/^enforce: the model saw query_order, call_a_human$/m);
    expect(output.match(/step 1: offered 6 tools \(\d+ tokens\), enough were 2/g)).toHaveLength(1);
    expect(output.match(/step 1: offered 2 tools/g)).toHaveLength(1);
  },
);

it(
  "examples/state-graph.ts selects in both kinds of node, thread by thread",
  { timeout: 60_000 },
  async () => {
    const output = await runExample("state-graph.ts");
    expect(output.match(/order 7\?" → offered query_order; "Done\."/g)).toHaveLength(2);
    expect(output.match(/a room\." → offered query_order, book_room; "Done\."/g)).toHaveLength(2);
    expect(output).toContain("8 records of 2 threads");
  },
);

it(
  "examples/react-agent.ts selects on every step, and answers in the response format",
  { timeout: 60_000 },
  async () => {
    const output = await runExample("react-agent.ts");
    expect(output).toContain('answer: {"status":"on its way"}');
    expect(output).toContain("model call 1 saw: query_order\n");
    expect(output).toContain("model call 3 saw: extract\n");
    expect(output).toContain("records: step 1 called query_order; step 2 called nothing");
  },
);
