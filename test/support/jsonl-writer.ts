/** A process that writes records to a JSONL log: `jsonl-writer.ts PATH COUNT BYTES NAME` (COUNT 0: until it is killed). */

import { jsonlSink } from "../../src/node.js";
import { selectionRecord } from "./records.js";

const [path = "", count = "0", bytes = "0", name = "writer"] = process.argv.slice(2);
const sink = jsonlSink(path);
const total = Number(count) || Infinity;

for (let index = 0; index < total; index += 1) {
  const record = selectionRecord({ id: `${name}-${index}`, version: "x".repeat(Number(bytes)) });
  const written = sink.write(record);
  if (index % 50 === 0) await written;
}
await sink.close();
if (sink.stats().written !== total) process.exitCode = 1;
