import type { Blow } from '../fleet.ts';
import type { Sql } from '../services/sql.ts';

/** Writes down whenever a run gets another owner or state. */
export const OWNERS_LOG = `
  CREATE TABLE crash_owners (run_id uuid NOT NULL, owner uuid, state smallint NOT NULL, at timestamptz NOT NULL);
  CREATE FUNCTION note_owner() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO crash_owners VALUES (NEW.id, NEW.owner, NEW.state, clock_timestamp());
    RETURN NULL;
  END $$;
  CREATE TRIGGER note_first_owner AFTER INSERT ON runs FOR EACH ROW EXECUTE FUNCTION note_owner();
  CREATE TRIGGER note_owner AFTER UPDATE ON runs FOR EACH ROW
    WHEN (OLD.owner IS DISTINCT FROM NEW.owner OR OLD.state <> NEW.state) EXECUTE FUNCTION note_owner();`;

interface Entry {
  readonly owner: string | null;
  readonly state: number;
  readonly at: number;
}

const RUNNING = 1;

async function readHistories(sql: Sql): Promise<Entry[][]> {
  const rows = await sql.query<Entry & { run_id: string }>(
    `SELECT run_id, owner, state, (extract(epoch FROM at) * 1000)::float8 AS at FROM crash_owners ORDER BY at`,
  );
  const runs = new Map<string, Entry[]>();
  for (const row of rows) runs.set(row.run_id, [...(runs.get(row.run_id) ?? []), row]);
  return [...runs.values()];
}

/** Worker ids of a process, with the time at which they began: process ids come back. */
async function createWorkerLookup(sql: Sql): Promise<(blow: Blow) => string | undefined> {
  const rows = await sql.query<{ id: string; host: string; at: number }>(
    `SELECT id, host, (extract(epoch FROM started_at) * 1000)::float8 AS at FROM workers ORDER BY started_at DESC`,
  );
  return ({ pid, at }) => rows.find((row) => row.host.endsWith(`:${pid}`) && row.at <= at)?.id;
}

/**
 * For every run that a process was working on when it was struck: how long until another one continued it, in
 * milliseconds. Runs that the process still ended itself, and those that were never taken over, are left out; the checker
 * finds the latter.
 */
export async function takeoverTimes(sql: Sql, blows: readonly Blow[]): Promise<number[]> {
  const histories = await readHistories(sql);
  const findWorker = await createWorkerLookup(sql);
  const times: number[] = [];
  for (const blow of blows) {
    const worker = findWorker(blow);
    if (worker === undefined) continue;
    for (const entries of histories) {
      const before = entries.findLast(({ at }) => at <= blow.at);
      if (before?.owner !== worker || before.state !== RUNNING) continue;
      const next = entries.find(
        ({ at, owner, state }) => at > blow.at && state === RUNNING && owner !== worker,
      );
      const first = entries.find(({ at }) => at > blow.at);
      if (next && first?.owner !== worker) times.push(next.at - blow.at);
    }
  }
  return times;
}

/** The value below which such a share of all is; undefined of nothing. */
export function percentile(values: readonly number[], share: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
