/**
 * From shadow to a verdict: an agent writes a shadow log, the report reads it, says what it shows, and tunes thresholds.
 *
 * Run: `npx tsx examples/report.ts`, or `npx tsx examples/report.ts "logs/*.jsonl"` for a log of your own.
 */

import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createToolSelector, type Judge } from "../src/index.js";
import { jsonlSink } from "../src/node.js";
import { readRecords, renderReport, summarize, tuneThresholds } from "../src/report.js";

const topics = ["order", "invoice", "parcel", "refund", "account", "password"];
const tools = topics.map((topic) => ({
  name: `find_${topic}`,
  description: `Finds a customer's ${topic}, with its state, its dates and everybody who worked on it.`,
}));

/** A scripted judge, so that the example needs no network; leave `judge` out for the embedded one. */
const judge: Judge = {
  id: "scripted:1",
  judge: async ({ context, candidates }) => ({
    probabilities: candidates.map(({ name }, index) =>
      context.request.includes(name.slice("find_".length)) ? 0.9 : 0.02 + index / 100,
    ),
    model: "scripted-1",
    usage: { inputTokens: 300, outputTokens: 20 },
  }),
};

/** 400 conversations in shadow mode, each with one request. */
async function writeShadowLog(path: string): Promise<void> {
  const sinks = jsonlSink(path);
  const selector = createToolSelector({ judge, sinks, agent: "support", version: "example-1" });
  for (let conversation = 0; conversation < 400; conversation++) {
    const topic = topics[conversation % topics.length] ?? "order";
    await selector.run(
      {
        threadId: `conversation-${conversation}`,
        messages: [{ role: "user", text: `What about my ${topic}?` }],
        tools,
      },
      {
        callModel: async () => [`find_${topic}`],
        readOutcome: (called) => ({ called, model: "gpt-5-mini" }),
      },
    );
  }
  await selector.close();
}

const folder = await mkdtemp(join(tmpdir(), "toolsieve-report-"));
const log = process.argv[2] ?? join(folder, "shadow.jsonl");
if (process.argv[2] === undefined) await writeShadowLog(log);

const summary = await summarize(readRecords(log), { maxMissRate: 0.01, critical: ["find_refund"] });
console.log(summary.verdict);
for (const reason of summary.reasons) console.log(`  ${reason}`);
for (const change of summary.changes) console.log(`  → ${change}`);

if (summary.judged !== null) {
  const { units, missedUnits, upperBound, netSaving, suggestedAlwaysInclude } = summary.judged;
  console.log(
    `${missedUnits} of ${units} units missed a tool; at most ${(upperBound * 100).toFixed(2)} %`,
  );
  console.log(`net saving per unit: ${netSaving.mean?.toFixed(0)} input-token equivalents`);
  console.log(`alwaysInclude: ${JSON.stringify(suggestedAlwaysInclude)}`);
}

const page = join(folder, "report.html");
await writeFile(page, renderReport(summary));
console.log(`the page: ${page}`);

const { options, reasons } = await tuneThresholds(readRecords(log), { targetRecall: 0.98 });
console.log("tuned for a recall of 98 %:", options ?? reasons);
