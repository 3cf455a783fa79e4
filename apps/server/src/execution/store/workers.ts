import type { SqlClient } from '../../database/sql-client.ts';
import { ENGINE_VERSION, isInState } from './run-state.ts';

interface NewWorker {
  readonly worker_id: string;
  /** Of the machine, with the process id; for people. */
  readonly host: string;
  readonly lease_seconds: number;
}

/** Writes the row of a process, whose lease begins now. */
export async function addWorker(
  sql: SqlClient,
  { worker_id, host, lease_seconds }: NewWorker,
): Promise<void> {
  await sql.query({
    text: `INSERT INTO workers (id, host, lease_until, engine_version)
      VALUES ($1, $2, now() + make_interval(secs => $3), $4)`,
    values: [worker_id, host, lease_seconds, ENGINE_VERSION],
  });
}

/** A write that changes nothing: whether the database stores anything at all. */
export async function rewriteWorker(sql: SqlClient, worker_id: string): Promise<void> {
  await sql.query({ text: 'UPDATE workers SET host = host WHERE id = $1', values: [worker_id] });
}

/** Rows of processes that are gone are kept for a day, to look up what happened. */
export async function deleteOldWorkers(sql: SqlClient): Promise<void> {
  await sql.query({
    text: `DELETE FROM workers WHERE NOT alive AND lease_until < now() - interval '1 day'
      AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.owner = workers.id AND ${isInState('running', 'runs.state')})`,
  });
}
