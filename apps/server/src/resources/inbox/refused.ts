import { DAY_MS } from '@millrace/engine/units';
import { deleteInSlices } from '../../database/delete-in-slices.ts';
import { likePattern } from '../../database/like-pattern.ts';
import type { RefusalReason } from '../../database/schema/index.ts';
import type { SqlClient } from '../../database/sql-client.ts';

/**
 * Rows of one workflow, open and dismissed; beyond that the oldest are removed. Those without content have a bound of their
 * own: senders who cannot sign make such rows too, and must not push out what can be sent again.
 */
export const MOST_WITH_CONTENT = 400;
export const MOST_WITHOUT_CONTENT = 100;

/** Contents are up to 128 KB each. */
const RESEALED_AT_ONCE = 50;

export interface NewRefusal {
  readonly id: string;
  readonly workflow_id: string;
  readonly node_id: string;
  readonly source: string | null;
  readonly reason: RefusalReason;
  readonly message: string;
  readonly cause: string;
  /** Encrypted; null: not kept. */
  readonly input: string | null;
  readonly count: number;
  readonly at_ms: number;
}

/** The event has started a run meanwhile, by a later delivery of its source. */
const HAS_STARTED = (
  row: string,
) => `EXISTS (SELECT 1 FROM trigger_causes k WHERE k.workflow_id = ${row}.workflow_id
  AND k.node_id = ${row}.node_id AND k.cause = ${row}.cause AND (k.expires_at <= now()) IS NOT TRUE)`;

/** A delivery that comes again after it was dismissed is open again. */
const INSERT = `INSERT INTO refused_deliveries AS r
    (id, workflow_id, node_id, source, reason, message, cause, input, count, first_at, last_at)
  SELECT x.*, x.last_at FROM (SELECT $1::uuid AS id, w.id AS workflow_id, $3::text AS node_id, $4::text, $5::text, $6::text,
      $7::text AS cause, $8::text, $9::int, to_timestamp($10::float8 / 1000) AS last_at
    FROM workflows w WHERE w.id = $2::uuid) x
  WHERE NOT ${HAS_STARTED('x')}
  ON CONFLICT (workflow_id, node_id, cause) DO UPDATE SET count = least(r.count::bigint + excluded.count, 2147483647)::int,
    last_at = excluded.last_at, reason = excluded.reason, message = excluded.message,
    input = coalesce(excluded.input, r.input), dismissed_at = NULL, run_id = NULL`;

export async function storeRefusal(sql: SqlClient, refusal: NewRefusal): Promise<void> {
  const { id, workflow_id, node_id, source, reason, message, cause, input, count, at_ms } = refusal;
  await sql.query({
    name: 'store_refusal',
    text: INSERT,
    values: [id, workflow_id, node_id, source, reason, message, cause, input, count, at_ms],
  });
  await sql.query({
    name: 'trim_refusals',
    text: `DELETE FROM refused_deliveries WHERE id IN
      (SELECT id FROM refused_deliveries WHERE workflow_id = $1 AND (input IS NULL) = $2 ORDER BY id DESC OFFSET $3)`,
    values: [workflow_id, input === null, input === null ? MOST_WITHOUT_CONTENT : MOST_WITH_CONTENT],
  });
}

export interface RefusedRow {
  readonly id: string;
  readonly workflow_id: string;
  readonly workflow_name: string;
  readonly node_id: string;
  readonly source: string | null;
  readonly reason: RefusalReason;
  readonly message: string;
  readonly can_be_sent: boolean;
  readonly count: number;
  readonly first_at: Date;
  readonly last_at: Date;
  readonly dismissed_at: Date | null;
}

export interface RefusedFilters {
  readonly dismissed?: boolean | undefined;
  readonly before?: string | undefined;
  readonly search?: string | undefined;
}

/** Of the workflows `$1`, as a part of a statement. */
const LISTED = `refused_deliveries r JOIN workflows w ON w.id = r.workflow_id
  WHERE r.workflow_id = ANY($1::uuid[]) AND (r.dismissed_at IS NOT NULL) = $2::boolean
    AND ($3::text IS NULL OR r.message ILIKE $3) AND NOT ${HAS_STARTED('r')}`;

const toValues = (workflow_ids: readonly string[], { dismissed, search }: RefusedFilters) => [
  workflow_ids,
  dismissed === true,
  search === undefined ? null : likePattern(search),
];

/** Refused deliveries of workflows that have started no run since, newest first. */
export async function refusedPage(
  sql: SqlClient,
  workflow_ids: readonly string[],
  filters: RefusedFilters & { readonly limit: number },
): Promise<RefusedRow[]> {
  const { rows } = await sql.query<RefusedRow>({
    name: 'refused_page',
    text: `SELECT r.id, r.workflow_id, w.name AS workflow_name, r.node_id, r.source, r.reason, r.message,
        r.input IS NOT NULL AS can_be_sent, r.count, r.first_at, r.last_at, r.dismissed_at
      FROM ${LISTED} AND ($4::uuid IS NULL OR r.id < $4) ORDER BY r.id DESC LIMIT $5`,
    values: [...toValues(workflow_ids, filters), filters.before ?? null, filters.limit],
  });
  return rows;
}

export async function countRefused(
  sql: SqlClient,
  workflow_ids: readonly string[],
  { filters, most }: { filters: RefusedFilters; most: number },
): Promise<number> {
  const { rows } = await sql.query<{ count: number }>({
    name: 'count_refused',
    text: `SELECT count(*)::int AS count FROM (SELECT 1 FROM ${LISTED} LIMIT $4) found`,
    values: [...toValues(workflow_ids, filters), most],
  });
  return rows[0]?.count ?? 0;
}

/** Dismisses entries, or opens them again. @returns how many have changed */
export async function moveRefused(
  sql: SqlClient,
  workflow_ids: readonly string[],
  { ids, dismissed }: { ids: readonly string[]; dismissed: boolean },
): Promise<number> {
  const { row_count } = await sql.query({
    text: `UPDATE refused_deliveries SET dismissed_at = CASE WHEN $3 THEN now() END
      WHERE id = ANY($1::uuid[]) AND workflow_id = ANY($2::uuid[]) AND (dismissed_at IS NOT NULL) <> $3::boolean
        AND (run_id IS NULL OR $3)`,
    values: [ids, workflow_ids, dismissed],
  });
  return row_count;
}

export interface KeptDelivery {
  readonly workflow_id: string;
  readonly node_id: string;
  readonly cause: string;
  readonly input: string | null;
}

export async function keptDelivery(
  sql: SqlClient,
  workflow_ids: readonly string[],
  id: string,
): Promise<KeptDelivery | undefined> {
  const { rows } = await sql.query<KeptDelivery>({
    text: `SELECT workflow_id, node_id, cause, input FROM refused_deliveries
      WHERE id = $1 AND workflow_id = ANY($2::uuid[])`,
    values: [id, workflow_ids],
  });
  return rows[0];
}

/** It has become a run; its content is not needed any more. */
export const noteSent = (sql: SqlClient, id: string, run_id: string) =>
  sql.query({
    text: `UPDATE refused_deliveries SET run_id = $2, input = NULL, dismissed_at = coalesce(dismissed_at, now())
      WHERE id = $1`,
    values: [id, run_id],
  });

/**
 * Removes those that were last refused longer ago, where 0 days keep them, and those that have started a run: their names are
 * forgotten one day, after which they would be open again.
 */
export const purgeRefused = (
  sql: SqlClient,
  { now_ms, days }: { now_ms: number; days: number },
): Promise<number> =>
  deleteInSlices(
    sql,
    `DELETE FROM refused_deliveries WHERE id IN (SELECT r.id FROM refused_deliveries r
      WHERE r.last_at < to_timestamp($1::float8 / 1000) OR ${HAS_STARTED('r')} LIMIT $2)`,
    [days === 0 ? 0 : now_ms - days * DAY_MS],
  );

/**
 * Encrypts contents with the current key where a former one encrypted them.
 *
 * @param reseal undefined where nothing is to do
 * @returns how many were encrypted anew
 */
export async function resealRefused(
  sql: SqlClient,
  reseal: (token: string) => string | undefined,
): Promise<number> {
  let count = 0;
  let after: string | undefined;
  for (;;) {
    const { rows } = await sql.query<{ id: string; input: string }>({
      text: `SELECT id, input FROM refused_deliveries WHERE input IS NOT NULL AND ($1::uuid IS NULL OR id > $1)
        ORDER BY id LIMIT ${RESEALED_AT_ONCE}`,
      values: [after ?? null],
    });
    for (const { id, input } of rows) {
      const anew = reseal(input);
      if (anew === undefined) continue;
      const { row_count } = await sql.query({
        text: 'UPDATE refused_deliveries SET input = $3 WHERE id = $1 AND input = $2',
        values: [id, input, anew],
      });
      count += row_count;
    }
    after = rows.at(-1)?.id;
    if (rows.length < RESEALED_AT_ONCE) return count;
  }
}
