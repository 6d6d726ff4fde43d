/**
 * How long the embedded encoder takes and how much memory it needs; writes ENCODER.md beside
 * itself. Needs `npm run build`.
 */

import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PackedEncoder } from "../../src/encoder/packed-model.js";
import type { EmbeddedTextEncoder, TextEncoderOptions } from "../../src/encoder/text-encoder.js";
import { median } from "../quality/rankers.js";

const dist = new URL("../../dist/encoder/", import.meta.url).href;
const { createTextEncoder } = (await import(`${dist}text-encoder.js`)) as {
  readonly createTextEncoder: (
    packed: PackedEncoder,
    options?: TextEncoderOptions,
  ) => Promise<EmbeddedTextEncoder>;
};
const { packedEncoder } = (await import(`${dist}weights.js`)) as {
  readonly packedEncoder: PackedEncoder;
};

const tokenCounts = [16, 24, 32, 64];

/**
 * Processor time so far in milliseconds: on an idle machine the time that passes, and on a busy one
 * not distorted.
 */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** A text of so many tokens, `[CLS]` and `[SEP]` included. */
const textOf = (tokens: number): string => "search ".repeat(tokens - 2);

function encodeMs(encoder: EmbeddedTextEncoder, tokens: number, runs: number): number {
  const times = Array.from({ length: runs }, () => {
    const start = cpuMs();
    encoder.encode(textOf(tokens));
    return cpuMs() - start;
  });
  return median(times.slice(runs / 4));
}

/** The longest time for which encoding a list kept everything else from running. */
async function longestHoldMs(encoder: EmbeddedTextEncoder, texts: number): Promise<number> {
  const holds: number[] = [];
  const work = encoder.encodeAll(Array.from({ length: texts }, () => textOf(64)));
  const done = work.then(() => true);
  for (let isDone = false; !isDone;) {
    const start = cpuMs();
    const tick = new Promise<false>((resolve) => {
      setImmediate(() => resolve(false));
    });
    isDone = await Promise.race([tick, done]);
    if (!isDone) holds.push(cpuMs() - start);
  }
  return holds.toSorted((a, b) => a - b)[Math.floor(holds.length * 0.99)] ?? 0;
}

interface LoadFigures {
  readonly loadMs: number;
  readonly rssMb: number;
}

/** In a process of its own: loading the encoder, and the memory that it adds, one text encoded. */
function measureLoad(): LoadFigures {
  const script = `
    const { loadTextEncoder } = await import(${JSON.stringify(`${dist}load-text-encoder.js`)});
    const cpuMs = () => process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000;
    const before = process.memoryUsage.rss();
    const start = cpuMs();
    const encoder = await loadTextEncoder();
    const loadMs = cpuMs() - start;
    encoder.encode(${JSON.stringify(textOf(64))});
    console.log(JSON.stringify({ loadMs, rssMb: (process.memoryUsage.rss() - before) / 2 ** 20 }));`;
  const runs = Array.from({ length: 7 }, () => {
    const args = ["--input-type=module", "-e", script];
    return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" })) as LoadFigures;
  });
  return {
    loadMs: median(runs.map(({ loadMs }) => loadMs)),
    rssMb: median(runs.map(({ rssMb }) => rssMb)),
  };
}

const wasm = await createTextEncoder(packedEncoder);
const javascript = await createTextEncoder(packedEncoder, { kernel: "javascript" });
const rows = tokenCounts.map((tokens) => {
  const fast = encodeMs(wasm, tokens, 60);
  const slow = encodeMs(javascript, tokens, 12);
  return `| ${tokens} | ${fast.toFixed(1)} | ${slow.toFixed(0)} |`;
});
const holds = {
  wasm: await longestHoldMs(wasm, 40),
  javascript: await longestHoldMs(javascript, 8),
};
const { loadMs, rssMb } = measureLoad();
const { layers, hidden, vocabularySize } = packedEncoder.shape;
const megabytes = (packedEncoder.units.length + packedEncoder.numbers.length) / 1e6;

const text = `# Speed of the embedded encoder

\`npm run bench:encoder\` on Node ${process.versions.node}, \`${packedEncoder.id}\`: ${layers} layers of width ${hidden}, ${vocabularySize.toLocaleString("en")} pieces, ${megabytes.toFixed(1)} MB. Medians for one text, in milliseconds of processor time.

| tokens | WebAssembly | plain JavaScript |
| ---: | ---: | ---: |
${rows.join("\n")}

Both give the same vectors, bit for bit. In a list, 99 of 100 slices hold the event loop for less than ${holds.wasm.toFixed(1)} ms (plain JavaScript: ${holds.javascript.toFixed(1)} ms).
In a new process: loading takes ${loadMs.toFixed(0)} ms of processor time and adds ${rssMb.toFixed(0)} MB of resident memory.
`;
await writeFile(join(import.meta.dirname, "ENCODER.md"), text);
process.stdout.write(text);
