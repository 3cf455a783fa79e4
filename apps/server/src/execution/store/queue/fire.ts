import type { SqlClient, TransactionalSql } from '../../../database/sql-client.ts';
import type { FireResult, Firing } from '../../model/queue.ts';
import { parameterLayout, plainText } from '../encoding/columns.ts';
import { insertQueued, QUEUED_PARTS, queuedValues } from './enqueue.ts';
import { storeWithinLimit } from './queue-limit.ts';

const PARAMETERS = parameterLayout({
  ...QUEUED_PARTS,
  run_id: 'value',
  trigger_id: 'value',
  worker_id: 'value',
  epoch: 'value',
  causes: 'value',
  known_until_ms: 'value',
  moves_cursor: 'value',
  cursor: 'value',
  moves_due: 'value',
  next_due_at_ms: 'value',
});
const { sql: at } = PARAMETERS;

const RUN_ID = `${at.run_id}::uuid`;
const EXPIRED = 'k.expires_at <= now()';
/** Keeps the look for one cause apart: joined by a planner without statistics, it reads all causes of the trigger. */
const APART = 'OFFSET 0';
/** Asked for again after an answer that was lost: the claim is this run's own. */
const OWN = 'k.run_id = excluded.run_id';

/**
 * Claims causes, stores the run, moves the trigger. `t` is empty unless the trigger may be fired by this process; it is
 * locked where it has a host, so that a host which lost it writes nothing. Of several causes all are new or nothing is
 * stored; a cause that was seen before is counted.
 */
const fireSql = (trigger: string) => `WITH t AS MATERIALIZED (${trigger}),
given AS MATERIALIZED (
  SELECT u.cause, to_timestamp(max(u.until_ms) / 1000) AS expires_at
  FROM unnest(${at.causes}::text[], ${at.known_until_ms}::float8[]) AS u(cause, until_ms) GROUP BY u.cause),
known AS MATERIALIZED (
  SELECT given.cause FROM t, given, LATERAL (
    SELECT 1 FROM trigger_causes k
    WHERE k.workflow_id = t.workflow_id AND k.node_id = t.node_id AND k.cause = given.cause
      AND k.run_id <> ${RUN_ID} AND (${EXPIRED}) IS NOT TRUE ${APART}) seen),
claim AS (
  INSERT INTO trigger_causes AS k (workflow_id, node_id, cause, run_id, expires_at)
  SELECT t.workflow_id, t.node_id, given.cause, ${RUN_ID}, given.expires_at
  FROM t, given
  WHERE NOT EXISTS (SELECT 1 FROM known) OR given.cause IN (SELECT cause FROM known)
  ON CONFLICT (workflow_id, node_id, cause) DO UPDATE SET
    run_id = CASE WHEN ${EXPIRED} THEN excluded.run_id ELSE k.run_id END,
    first_at = CASE WHEN ${EXPIRED} THEN now() ELSE k.first_at END,
    repeats = CASE WHEN ${EXPIRED} THEN 0 WHEN ${OWN} THEN k.repeats ELSE k.repeats + 1 END,
    repeated_at = CASE WHEN ${EXPIRED} THEN NULL WHEN ${OWN} THEN k.repeated_at ELSE now() END,
    expires_at = CASE WHEN ${EXPIRED} THEN excluded.expires_at ELSE k.expires_at END
  RETURNING k.run_id),
${insertQueued({
  at,
  when: `EXISTS (SELECT 1 FROM claim) AND NOT EXISTS (SELECT 1 FROM claim WHERE claim.run_id <> ${RUN_ID})`,
})},
moved AS (
  UPDATE triggers SET
    cursor = CASE WHEN ${at.moves_cursor}::boolean THEN ${at.cursor} ELSE triggers.cursor END,
    next_due_at = CASE WHEN ${at.moves_due}::boolean THEN to_timestamp(${at.next_due_at_ms}::float8 / 1000)
      ELSE triggers.next_due_at END
  FROM t WHERE triggers.id = t.id AND (${at.moves_cursor} OR ${at.moves_due}))
SELECT (SELECT count(*) FROM t)::int AS may_fire,
  (SELECT claim.run_id FROM claim WHERE claim.run_id <> ${RUN_ID} LIMIT 1) AS earlier`;

const HOSTED = fireSql(`SELECT id, workflow_id, node_id FROM triggers
  WHERE id = ${at.trigger_id}::uuid AND active AND owner = ${at.worker_id}::uuid AND epoch = ${at.epoch}::bigint
    AND EXISTS (SELECT 1 FROM workers w WHERE w.id = ${at.worker_id}::uuid AND w.alive) FOR UPDATE`);
const OPEN = fireSql(`SELECT id, workflow_id, node_id FROM triggers
  WHERE id = ${at.trigger_id}::uuid AND active AND ${at.worker_id}::uuid IS NOT NULL AND ${at.epoch}::bigint IS NULL`);

/** Sets these locks apart from those of others. */
const LOCK_CLASS = 460_023;

/** In one order, so that two firings never wait for each other. */
const LOCK_CAUSES = `SELECT pg_advisory_xact_lock($1::int, k.key) FROM (
  SELECT DISTINCT hashtext($2 || ' ' || u.cause) AS key FROM unnest($3::text[]) AS u(cause) ORDER BY key) k`;

/**
 * A statement sees what was stored when it began. One that finds only while it claims that another run has a cause would
 * leave its other causes claimed for a run that it does not store, so firings that share a cause wait for each other first.
 */
async function lockCauses(sql: SqlClient, { trigger_id, causes }: Firing): Promise<void> {
  await sql.query({
    name: 'lock_causes',
    text: LOCK_CAUSES,
    values: [LOCK_CLASS, trigger_id, causes.map(({ name }) => plainText(name))],
  });
}

/** @param worker_id process that fires; it must host the trigger where the firing names an epoch */
export function fireTrigger(sql: TransactionalSql, worker_id: string, firing: Firing): Promise<FireResult> {
  const store = async (tx: SqlClient) => {
    if (firing.overlaps) await lockCauses(tx, firing);
    return claimAndStore(tx, worker_id, firing);
  };
  if (firing.run.queue) return storeWithinLimit(sql, firing.run, store);
  return firing.overlaps ? sql.transaction(store) : store(sql);
}

async function claimAndStore(sql: SqlClient, worker_id: string, firing: Firing): Promise<FireResult> {
  const { run, epoch, cursor, next_due_at_ms } = firing;
  const { rows } = await sql.query<{ may_fire: number; earlier: string | null }>({
    name: epoch === undefined ? 'fire_trigger' : 'fire_hosted_trigger',
    text: epoch === undefined ? OPEN : HOSTED,
    values: PARAMETERS.values({
      ...queuedValues(run),
      run_id: run.run_id,
      trigger_id: firing.trigger_id,
      worker_id,
      epoch: epoch ?? null,
      causes: firing.causes.map(({ name }) => plainText(name)),
      known_until_ms: firing.causes.map(({ known_until_ms }) => known_until_ms),
      moves_cursor: cursor !== undefined,
      cursor: cursor === undefined ? null : JSON.stringify(cursor),
      moves_due: next_due_at_ms !== undefined,
      next_due_at_ms: next_due_at_ms ?? null,
    }),
  });
  const [row] = rows;
  if (!row || row.may_fire === 0) return { kind: 'lost' };
  return row.earlier === null ? { kind: 'queued' } : { kind: 'repeated', run_id: row.earlier };
}
