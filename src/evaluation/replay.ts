/** Judgments recorded once and used again: a paid judge is asked once, its answers are evaluated as often as wanted. */

import * as z from "zod";
import { InvalidOptionsError, ToolSieveError } from "../errors.js";
import { sha256Hex } from "../core/fingerprint.js";
import { canonicalJson } from "../core/json.js";
import type { Judge, JudgeRequest, JudgeResponse, JudgeUsage } from "../core/types.js";
import { isValidAnswer } from "../core/verdict.js";

const count = z.int().min(0);

/** The first line of a recording: the judge, with all that an evaluation needs of it. */
const headerSchema = z.object({
  v: z.literal(1),
  judge: z.string(),
  batchSize: z.int().min(1).optional(),
  thresholds: z.object({ confidence: z.number(), rejection: z.number() }).optional(),
});

/** Every other line: a hash of what was asked, and the reply. No text of the request, no tool names. */
const judgmentSchema = z.object({
  key: z.string(),
  /** `null` is an abstention, `"invalid"` an answer that was missing or out of range. */
  probabilities: z.array(z.union([z.number().min(0).max(1), z.null(), z.literal("invalid")])),
  model: z.string().optional(),
  requests: count.optional(),
  usage: z
    .object({ inputTokens: count, outputTokens: count, cachedInputTokens: count.optional() })
    .optional(),
});

type RecordedHeader = z.output<typeof headerSchema>;
type RecordedJudgment = z.output<typeof judgmentSchema>;

/** What was recorded of one judge. */
export interface Recording {
  readonly header: RecordedHeader;
  /** Replies by the hash of what was asked. */
  readonly judgments: ReadonlyMap<string, RecordedJudgment>;
}

/** A replayed judge was asked something that was never recorded: other cases, another catalog size or seed. */
export class ReplayMissError extends ToolSieveError {
  constructor() {
    super(
      "The recording does not hold this request: cases, catalog, catalog size and seed must be those of the recorded run.",
    );
  }
}

/** SHA-256 over the context and the tools as the judge gets them. */
function keyOf({ context, candidates }: JudgeRequest): string {
  const tools = candidates.map(({ name, description, parameters }) => [
    name,
    description ?? null,
    parameters ?? null,
  ]);
  return sha256Hex(canonicalJson([context.request, context.messages, tools]));
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/**
 * Reads a recording. Lines cut short by an interrupted run are skipped: what they held is asked again.
 *
 * @throws {ToolSieveError} if the first line does not say which judge was recorded.
 */
export function parseRecording(text: string): Recording {
  const [first, ...rest] = text.split("\n");
  const header = headerSchema.safeParse(parseLine(first ?? ""));
  if (!header.success) {
    throw new ToolSieveError(
      "Expected the first line of a recording to name version 1 and the judge.",
    );
  }
  const judgments = rest.flatMap((line) => {
    const parsed = judgmentSchema.safeParse(parseLine(line));
    return parsed.success ? [parsed.data] : [];
  });
  return { header: header.data, judgments: new Map(judgments.map((one) => [one.key, one])) };
}

function toUsage(usage: NonNullable<RecordedJudgment["usage"]>): JudgeUsage {
  const { cachedInputTokens, ...tokens } = usage;
  return { ...tokens, ...(cachedInputTokens === undefined ? {} : { cachedInputTokens }) };
}

function toResponse({ probabilities, model, requests, usage }: RecordedJudgment): JudgeResponse {
  return {
    probabilities: probabilities.map((answer) => (answer === "invalid" ? undefined : answer)),
    ...(model === undefined ? {} : { model }),
    ...(requests === undefined ? {} : { requests }),
    ...(usage === undefined ? {} : { usage: toUsage(usage) }),
  };
}

function toRecorded(key: string, response: JudgeResponse): RecordedJudgment {
  const { probabilities, model, requests, usage } = response;
  return {
    key,
    probabilities: Array.from(probabilities, (answer) =>
      isValidAnswer(answer) ? answer : "invalid",
    ),
    model,
    requests,
    usage,
  };
}

function headerOf(judge: Judge): RecordedHeader {
  const { id, batchSize, thresholds } = judge;
  return { v: 1, judge: id, batchSize, thresholds };
}

function fromHeader({ judge, batchSize, thresholds }: RecordedHeader): Omit<Judge, "judge"> {
  return {
    id: judge,
    ...(batchSize === undefined ? {} : { batchSize }),
    ...(thresholds === undefined ? {} : { thresholds }),
  };
}

export interface RecordingJudgeOptions {
  /** Gets each line of the recording, with its line break; the first one names the judge. */
  readonly write: (line: string) => void | Promise<void>;
  /** An earlier recording to go on with: what it holds is not asked again, nor written. */
  readonly recording?: Recording | undefined;
}

/**
 * Passes every request on to a judge and writes down the reply. A call that fails is not written, so that it is asked
 * again when the run is repeated. Lines hold hashes and numbers, no text.
 *
 * @throws {InvalidOptionsError} if the earlier recording is of another judge.
 *
 * @example
 * const lines: string[] = [];
 * const judge = recordingJudge(paidJudge, { write: (line) => void lines.push(line) });
 * // evaluate, keep the lines, and later: replayJudge(parseRecording(lines.join("")))
 */
export function recordingJudge(judge: Judge, { write, recording }: RecordingJudgeOptions): Judge {
  if (recording !== undefined && recording.header.judge !== judge.id) {
    throw new InvalidOptionsError(
      `Expected a recording of the judge \`${judge.id}\`, got one of \`${recording.header.judge}\`.`,
    );
  }
  const known = new Map(recording?.judgments);
  let isHeaderWritten = recording !== undefined;
  return {
    ...fromHeader(headerOf(judge)),
    async judge(request, options) {
      const key = keyOf(request);
      const earlier = known.get(key);
      if (earlier !== undefined) return toResponse(earlier);
      const response = await judge.judge(request, options);
      const recorded = toRecorded(key, response);
      known.set(key, recorded);
      const header = isHeaderWritten ? "" : `${JSON.stringify(headerOf(judge))}\n`;
      isHeaderWritten = true;
      await write(`${header}${JSON.stringify(recorded)}\n`);
      return response;
    },
  };
}

/**
 * A judge that answers from a recording and asks nobody.
 *
 * Its `judge` rejects with a `ReplayMissError` when asked something that was not recorded.
 *
 * @example
 * const judge = replayJudge(parseRecording(await readFile("judgments.jsonl", "utf8")));
 */
export function replayJudge({ header, judgments }: Recording): Judge {
  return {
    ...fromHeader(header),
    judge: async (request) => {
      const recorded = judgments.get(keyOf(request));
      if (recorded === undefined) throw new ReplayMissError();
      return toResponse(recorded);
    },
  };
}
