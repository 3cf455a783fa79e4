import type { TriggerKind } from '@millrace/engine';
import type { SqlClient } from '../../database/sql-client.ts';

/** Kinds that one process at a time works on. The others are fired by the process that is called. */
const HOSTED_KINDS: ReadonlySet<TriggerKind> = new Set<TriggerKind>(['clock', 'poll', 'connection', 'event']);
export const isHosted = (kind: TriggerKind): boolean => HOSTED_KINDS.has(kind);

const IS_HOST = 'w.alive AND w.hosts_triggers';
/** Without an owner, or with one whose lease is over. */
const IS_FREE = `(t.owner IS NULL OR NOT EXISTS (SELECT 1 FROM workers w WHERE w.id = t.owner AND ${IS_HOST}))`;

const SHARES = `SELECT k.kind, k.mine, k.free, ceil(k.total::float8 / greatest(1, h.hosts))::int AS share
  FROM (SELECT count(*) AS hosts FROM workers w WHERE ${IS_HOST}) h,
    (SELECT t.kind, count(*) AS total, count(*) FILTER (WHERE t.owner = $1)::int AS mine,
      count(*) FILTER (WHERE ${IS_FREE})::int AS free
     FROM triggers t WHERE t.kind IN ('clock', 'poll', 'connection', 'event') GROUP BY t.kind) k`;

/** Judged anew under the lock: of several processes that want a trigger one gets it. */
const TAKE = `UPDATE triggers SET owner = $1, epoch = triggers.epoch + 1
  FROM (SELECT t.id FROM triggers t WHERE t.kind = $2 AND ${IS_FREE} ORDER BY t.id LIMIT $3 FOR UPDATE OF t SKIP LOCKED) free
  WHERE triggers.id = free.id AND EXISTS (SELECT 1 FROM workers w WHERE w.id = $1 AND w.alive)`;

const GIVE = `UPDATE triggers SET owner = NULL, epoch = epoch + 1
  WHERE id IN (SELECT id FROM triggers WHERE owner = $1 AND kind = $2 ORDER BY id DESC LIMIT $3)`;

interface Share {
  readonly kind: TriggerKind;
  readonly mine: number;
  readonly free: number;
  readonly share: number;
}

/**
 * Takes what is free up to this process' share of each kind, and gives back what is above it, so that another process can
 * take it. The lease of a trigger is that of its process: renewed apart from the event loop, judged by the database's clock.
 *
 * @returns how many were taken and given back
 */
export async function balance(sql: SqlClient, worker_id: string): Promise<{ taken: number; given: number }> {
  const { rows } = await sql.query<Share>({ name: 'trigger_shares', text: SHARES, values: [worker_id] });
  let [taken, given] = [0, 0];
  for (const { kind, mine, free, share } of rows) {
    const wanted = Math.min(free, share - mine);
    if (wanted > 0)
      taken += (await sql.query({ name: 'take_triggers', text: TAKE, values: [worker_id, kind, wanted] }))
        .row_count;
    if (mine > share)
      given += (await sql.query({ text: GIVE, values: [worker_id, kind, mine - share] })).row_count;
  }
  return { taken, given };
}

/** From now on the process counts among those that share the triggers. */
export const joinHosts = (sql: SqlClient, worker_id: string) =>
  sql.query({ text: 'UPDATE workers SET hosts_triggers = true WHERE id = $1', values: [worker_id] });

/** Gives everything back and takes nothing more. */
export async function leaveHosts(sql: SqlClient, worker_id: string): Promise<void> {
  await sql.query({ text: 'UPDATE workers SET hosts_triggers = false WHERE id = $1', values: [worker_id] });
  await sql.query({
    text: 'UPDATE triggers SET owner = NULL, epoch = epoch + 1 WHERE owner = $1',
    values: [worker_id],
  });
}
