/** Writes each record to several sinks, none of which can affect another. */

import * as z from "zod";
import { functionOption, parseOptions } from "../core/parse-options.js";
import type { Sink } from "../core/types.js";
import { ToolSieveError } from "../errors.js";

const sinksSchema = z.array(
  z.looseObject(
    {
      write: functionOption<Sink["write"]>(),
      flush: functionOption<() => Promise<void>>().optional(),
      close: functionOption<() => Promise<void>>().optional(),
    },
    "a sink",
  ),
);

type Action = "write" | "flush" | "close";

async function settleAll(
  action: Action,
  sinks: readonly Sink[],
  call: (sink: Sink) => void | Promise<void> | undefined,
): Promise<void> {
  // Each call sits in its own async function, so that a throw becomes a rejection and the next sink
  // still has its turn.
  const settled = await Promise.allSettled(sinks.map(async (sink) => call(sink)));
  const reasons = settled.flatMap((one): readonly unknown[] =>
    one.status === "rejected" ? [one.reason] : [],
  );
  if (reasons.length === 0) return;
  throw new ToolSieveError(`${reasons.length} of ${sinks.length} sinks failed to ${action}.`, {
    cause: reasons.length === 1 ? reasons[0] : new AggregateError(reasons),
  });
}

/**
 * One sink out of several. Every sink gets every record at once; one that throws, rejects or stalls
 * keeps none of the others waiting for it. `write`, `flush` and `close` settle when all have
 * settled.
 *
 * @throws {InvalidOptionsError} if one of them is not a sink.
 * @throws {ToolSieveError} (as a rejection of `write`, `flush` or `close`) if any failed; `cause`
 * is its error, or an `AggregateError` of several.
 *
 * @example
 * ```ts
 * const sink = fanOut(jsonlSink("shadow.jsonl"), otelSink());
 * const selector = createToolSelector({ sinks: sink });
 * ```
 */
export function fanOut(...sinks: readonly Sink[]): Required<Sink> {
  parseOptions(sinksSchema, sinks, "fanOut");
  return {
    write: (record) => settleAll("write", sinks, (sink) => sink.write(record)),
    flush: () => settleAll("flush", sinks, (sink) => sink.flush?.()),
    close: () => settleAll("close", sinks, (sink) => sink.close?.()),
  };
}
