/** The queries of the Postgres report: tools are folded, counted and told apart in the database, so that no list of them is sent. */

import { quoteTable } from "../postgres-client.js";
import { callRateEdges } from "./call-rate.js";

/** What makes a cohort, as one value; its order is that of `identityOf` in postgres.ts. */
const cohort = `jsonb_build_array(
  record->'v', record->'version', record->'policyFingerprint', record->'judge'->'id', record->'judge'->'model',
  record->'agent', coalesce(record->'overrides' = 'true', false), record->'policy'->'confidenceThreshold',
  record->'policy'->'rejectionThreshold', record->'policy'->'maxTools', record->'policy'->'onUncertain')`;

/** The four fields of a policy that count, out of its object. */
const policyOf = (path: string): string => `jsonb_build_object(
  'confidenceThreshold', ${path}->'confidenceThreshold', 'rejectionThreshold', ${path}->'rejectionThreshold',
  'maxTools', ${path}->'maxTools', 'onUncertain', ${path}->'onUncertain')`;

const number = (path: string): string =>
  `CASE WHEN jsonb_typeof(${path}) = 'number' THEN (${path})::float8 END`;

const list = (path: string): string =>
  `CASE WHEN jsonb_typeof(${path}) = 'array' THEN ${path} ELSE '[]' END`;

/** The tools of a record, one row each. */
const eachTool = "jsonb_array_elements(tools) WITH ORDINALITY AS each_tool (entry, position)";

/** Whether a tool has the form that `selectionRecordSchema` demands. */
const isTool = `coalesce(
  jsonb_typeof(entry->'name') IN ('string', 'null') AND jsonb_typeof(entry->'kept') = 'boolean'
  AND jsonb_typeof(entry->'reason') = 'string' AND (entry->'probability' = 'null' OR probability BETWEEN 0 AND 1)
  AND (entry->'tokens' = 'null' OR entry->'tokens' >= '0' AND jsonb_typeof(entry->'tokens') = 'number')
  AND (entry->'verdict' = 'null' OR entry->>'verdict' IN
    ('applicable', 'not-applicable', 'uncertain', 'abstained', 'unjudged', 'not-awaited')), false)`;

/** `$1`: since, `$2` and `$3`: first and last `seq`. */
const inRange = "time >= $1 AND seq BETWEEN $2 AND $3";

/**
 * Shadow records that count for a unit, taken apart once: every access to a whole record would unpack it again, which is
 * what `OFFSET 0` keeps the planner from.
 */
const shadowRecords = (table: string): string => `(
  SELECT seq, unit, record - 'tools' AS record, ${list("record->'tools'")} AS tools
  FROM ${quoteTable(table)}
  WHERE ${inRange} AND unit IS NOT NULL AND record->'v' = '1' AND record->'enforced' = 'false'
  OFFSET 0
) AS records`;

/** The first row from a time on, and the last of all. `$1`: since. */
export const boundsQuery = (table: string): string =>
  `SELECT (SELECT min(seq) FROM ${quoteTable(table)} WHERE time >= $1) AS first,
          (SELECT max(seq) FROM ${quoteTable(table)}) AS last`;

/** Whole records. `$4`: how many at most. */
export const recordsQuery = (table: string): string =>
  `SELECT seq, record FROM ${quoteTable(table)} WHERE ${inRange} ORDER BY seq LIMIT $4`;

/** When each unit was first enforced, whenever that was. `$1`: last `seq`. */
export const enforcedQuery = (table: string): string => `
SELECT CASE WHEN record->>'groupId' IS NOT NULL THEN 'group' WHEN record->>'threadId' IS NOT NULL THEN 'thread' ELSE 'run' END
         AS kind,
       unit AS id, floor(extract(epoch FROM min(time))::numeric * 1000)::float8 AS time
FROM ${quoteTable(table)}
WHERE record @> '{"enforced": true}' AND unit IS NOT NULL AND seq <= $1
GROUP BY 1, 2`;

/** The policies of shadow records, for which the what-if needs its grids. */
export const policiesQuery = (table: string): string =>
  `SELECT DISTINCT ${policyOf("record->'policy'")} AS policy FROM ${shadowRecords(table)}`;

/** Names of all tools, by cohort. A catalog of up to 500 tools is listed whole, so its fingerprint is looked at once. */
export const namesQuery = (table: string): string => `
WITH catalogs AS (
  SELECT ${cohort} AS cohort, min(seq) AS seq
  FROM ${shadowRecords(table)}
  GROUP BY 1, record->'catalog'->>'fingerprint',
           CASE WHEN record->'catalog'->>'fingerprint' IS NULL OR jsonb_array_length(tools) > 500 THEN seq END
)
SELECT cohort, array_agg(DISTINCT entry->>'name') AS names
FROM catalogs
JOIN (SELECT seq, ${list("record->'tools'")} AS tools FROM ${quoteTable(table)}) AS lists USING (seq)
CROSS JOIN LATERAL ${eachTool}
WHERE entry->>'name' IS NOT NULL
GROUP BY 1`;

/**
 * Judged and called tools by range of probability. A tool is called if it is called within the same user request; of
 * namesakes the last counts; a turn without a known request stands alone.
 */
export const callRateQuery = (table: string): string => `
WITH turns AS (
  SELECT seq, tools, ${cohort} AS cohort, ${list("record->'outcome'->'called'")} AS called,
         jsonb_build_array(coalesce(record->>'threadId', record->>'runId', unit), record->'request',
                           CASE WHEN record->>'request' IS NULL THEN seq END) AS request
  FROM ${shadowRecords(table)}
  WHERE record->'outcome'->'error' = 'false'
), judged AS (
  SELECT DISTINCT ON (seq, entry->>'name') cohort, request, entry->>'name' AS name,
         width_bucket(${number("entry->'probability'")}, ARRAY[${callRateEdges.slice(1, -1).join(", ")}]::float8[]) AS bin
  FROM turns CROSS JOIN LATERAL ${eachTool}
  WHERE entry->>'name' IS NOT NULL AND jsonb_typeof(entry->'probability') = 'number'
  ORDER BY seq, entry->>'name', position DESC
), called AS (
  SELECT DISTINCT cohort, request, name
  FROM turns CROSS JOIN LATERAL jsonb_array_elements_text(called) AS names (name)
)
SELECT judged.cohort, bin, count(*)::float8 AS judged, count(called.name)::float8 AS called
FROM judged LEFT JOIN called USING (cohort, request, name)
GROUP BY 1, 2`;

/**
 * Each record with its tools folded: of the list remain those that were called (each with its `rank` by probability, from
 * 1), and beside a missed one those that were kept. `token_sum` and `by_rejection` are a `RankedTurn` of what-if.ts. A row
 * that is no record has none. `$4`: how many records at most, `$5`: grids of the what-if with their policies.
 */
export const foldedQuery = (table: string): string => `
SELECT seq, record, abstained, token_sum, by_rejection
FROM (
  SELECT seq, record AS whole, ${list("record->'tools'")} AS tools, record->'outcome'->'called' AS called,
         record->'policy' AS policy
  FROM ${quoteTable(table)} WHERE ${inRange} ORDER BY seq LIMIT $4
) AS page
CROSS JOIN LATERAL (
  SELECT coalesce(jsonb_agg(entry || jsonb_build_object('rank', rank) ORDER BY position)
                    FILTER (WHERE is_called OR (is_missed AND is_judged AND is_kept)), '[]') AS kept_tools,
         coalesce(bool_and(entry->>'verdict' = 'abstained') FILTER (WHERE is_judged), false) AS abstained,
         coalesce(bool_and(probability IS NOT NULL) FILTER (WHERE is_judged), false) AS is_complete,
         array_agg(probability ORDER BY probability DESC, position) FILTER (WHERE is_judged) AS probabilities,
         array_agg(sum ORDER BY probability DESC, position) FILTER (WHERE is_judged) AS sums,
         sum(tokens) FILTER (WHERE is_judged) AS token_sum,
         coalesce(bool_and(${isTool}), true) AS are_tools
  FROM (
    SELECT *,
           CASE WHEN probability IS NULL THEN 0
                ELSE row_number() OVER (ORDER BY probability DESC NULLS LAST, position) END AS rank,
           sum(CASE WHEN is_judged THEN tokens END) OVER (ORDER BY probability DESC NULLS LAST, position) AS sum,
           bool_or(is_called AND NOT is_kept) OVER () AS is_missed
    FROM (
      SELECT entry, position, ${number("entry->'probability'")} AS probability,
             coalesce(${number("entry->'tokens'")}, 0) AS tokens,
             entry->>'verdict' IS NOT NULL AS is_judged,
             entry->'kept' = 'true' AS is_kept,
             coalesce(called ? (entry->>'name'), false) AS is_called
      FROM ${eachTool}
    ) AS entries
  ) AS ranked
) AS folded
CROSS JOIN LATERAL (
  SELECT CASE WHEN jsonb_typeof(whole->'tools') = 'array' AND are_tools
              THEN (whole - 'content') || jsonb_build_object('tools', kept_tools) END AS record
  OFFSET 0
) AS reduced
LEFT JOIN LATERAL (
  SELECT jsonb_agg(
           jsonb_build_object('above', above, 'lowest', probabilities[above], 'keptTokens', (
             SELECT jsonb_agg(coalesce(sums[least(cap::float8, above)::int], 0) ORDER BY place)
             FROM jsonb_array_elements_text(grid->'maxTools') WITH ORDINALITY AS caps (cap, place)))
           ORDER BY rejections.place) AS by_rejection
  FROM jsonb_array_elements($5::jsonb) AS grids (grid)
  CROSS JOIN LATERAL jsonb_array_elements_text(grid->'rejectionThresholds') WITH ORDINALITY AS rejections (rejection, place)
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS above FROM unnest(probabilities) AS p WHERE p > rejection::float8
  ) AS counted
  WHERE is_complete AND grid->'policy' = ${policyOf("policy")}
) AS by_threshold ON true
ORDER BY seq`;
