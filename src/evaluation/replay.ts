/**
 * Records the replies of a judge and replays them, so that a paid judge is asked once for many
 * evaluations.
 */

import * as z from "zod";
import { InvalidOptionsError, ReplayMissError, ToolSieveError } from "../errors.js";
import { sha256Hex } from "../core/fingerprint.js";
import { canonicalJson } from "../core/json.js";
import type { Judge, JudgeRequest, JudgeResponse } from "../core/types.js";
import { isValidAnswer } from "../core/verdict.js";

const tokens = z.int().min(0);

/** The first line of a recording: the judge and its limits. */
const headerSchema = z.object({
  v: z.literal(1),
  judge: z.string(),
  batchSize: z.int().min(1).optional(),
  scope: z.enum(["tool", "catalog"]).optional(),
  maxTools: z.int().min(1).optional(),
  thresholds: z.object({ confidence: z.number(), rejection: z.number() }).optional(),
});

/** Every other line: the hash of a request and its reply; no text and no tool names. */
const judgmentSchema = z.object({
  key: z.string(),
  /** `null` is an abstention, `"invalid"` an answer that was missing or out of range. */
  probabilities: z.array(z.union([z.number().min(0).max(1), z.null(), z.literal("invalid")])),
  model: z.string().optional(),
  requests: tokens.optional(),
  usage: z
    .object({ inputTokens: tokens, outputTokens: tokens, cachedInputTokens: tokens.optional() })
    .optional(),
});

type RecordedHeader = z.output<typeof headerSchema>;
type RecordedJudgment = z.output<typeof judgmentSchema>;

/** The recorded replies of one judge. */
export interface Recording {
  readonly header: RecordedHeader;
  /** Replies by the hash of the request. */
  readonly judgments: ReadonlyMap<string, RecordedJudgment>;
}

/** SHA-256 over the context and the tools of a request. */
function hashRequest({ context, candidates }: JudgeRequest): string {
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
 * Reads a recording. Lines that an interrupted run cut are skipped; their requests are asked again.
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

function toResponse({ probabilities, model, requests, usage }: RecordedJudgment): JudgeResponse {
  return {
    probabilities: probabilities.map((answer) => (answer === "invalid" ? undefined : answer)),
    model,
    requests,
    usage,
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

function toHeader({ id, batchSize, scope, maxTools, thresholds }: Judge): RecordedHeader {
  return { v: 1, judge: id, batchSize, scope, maxTools, thresholds };
}

function fromHeader(header: RecordedHeader): Omit<Judge, "judge"> {
  const { judge: id, batchSize, scope, maxTools, thresholds } = header;
  return { id, batchSize, scope, maxTools, thresholds };
}

export interface RecordingJudgeOptions {
  /** Gets each line of the recording, with its line break; the first one names the judge. */
  readonly write: (line: string) => void | Promise<void>;
  /** An earlier recording to continue: its requests are neither asked nor written again. */
  readonly recording?: Recording | undefined;
}

/**
 * Passes every request on to a judge and writes the reply. A failed call is not written, so that it
 * is asked again when the run is repeated. Lines hold hashes and numbers, no text.
 *
 * @throws {InvalidOptionsError} if the earlier recording is of another judge.
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
    ...fromHeader(toHeader(judge)),
    prepare: judge.prepare?.bind(judge),
    async judge(request, options) {
      const key = hashRequest(request);
      const earlier = known.get(key);
      if (earlier !== undefined) return toResponse(earlier);
      const response = await judge.judge(request, options);
      const recorded = toRecorded(key, response);
      known.set(key, recorded);
      const header = isHeaderWritten ? "" : `${JSON.stringify(toHeader(judge))}\n`;
      isHeaderWritten = true;
      await write(`${header}${JSON.stringify(recorded)}\n`);
      return response;
    },
  };
}

/**
 * A judge that answers from a recording alone. It rejects with a `ReplayMissError` for a request
 * that was not recorded.
 *
 * @example
 * const judge = replayJudge(parseRecording(await readFile("judgments.jsonl", "utf8")));
 */
export function replayJudge({ header, judgments }: Recording): Judge {
  return {
    ...fromHeader(header),
    judge: async (request) => {
      const recorded = judgments.get(hashRequest(request));
      if (recorded === undefined) throw new ReplayMissError();
      return toResponse(recorded);
    },
  };
}
