import { setTimeout as sleep } from 'node:timers/promises';
import type { Fleet } from '../fleet.ts';
import type { Sql } from '../services/sql.ts';

/** Runs that have not ended; undefined while the database does not answer. */
export const openRuns = (sql: Sql): Promise<number | undefined> =>
  sql.query<{ count: number }>('SELECT count(*)::int AS count FROM runs WHERE state < 3').then(
    ([row]) => row?.count,
    () => undefined,
  );

/** Waits until no run is open, or nothing ends any more. */
export async function settle(sql: Sql, stall_ms: number): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  let changedAt = performance.now();
  while (performance.now() - changedAt < stall_ms) {
    await sleep(200);
    const open = (await openRuns(sql)) ?? Number.POSITIVE_INFINITY;
    if (open === 0) return;
    if (open === least) continue;
    least = open;
    changedAt = performance.now();
  }
}

const TIDY_WITHIN_MS = 10_000;

/**
 * Waits until decisions that came in the moment in which their run ended are put away, which processes do once a second. What
 * is left after that is for the checker to find.
 */
export async function untilTidy(sql: Sql): Promise<void> {
  const until = performance.now() + TIDY_WITHIN_MS;
  while (performance.now() < until) {
    const [row] = await sql.query<{ is_tidy: boolean }>(
      `SELECT NOT EXISTS (SELECT 1 FROM waits w JOIN runs r ON r.id = w.run_id WHERE r.state = 3 AND NOT w.applied) AS is_tidy`,
    );
    if (row?.is_tidy) return;
    await sleep(200);
  }
}

/** Waits for the end of all runs of the embedded database, which only its process can be asked about. */
export async function settleAlone(fleet: Fleet, token: string, stall_ms: number): Promise<void> {
  let last = '';
  let changedAt = performance.now();
  while (performance.now() - changedAt < stall_ms) {
    await sleep(100);
    const metrics = await fetch(`${fleet.urls()[0]}/metrics`).then(
      (answer) => answer.text(),
      () => '',
    );
    const read = (name: string) => new RegExp(`^millrace_${name} (\\d+)$`, 'm').exec(metrics)?.[1];
    if (read('queued_runs') !== '0' || read('active_runs') !== '0') continue;
    const open = await fetch(`${fleet.urls()[0]}/api/workflows/executions/active`, {
      headers: { authorization: `Bearer ${token}` },
    }).then(
      (answer) => (answer.ok ? (answer.json() as Promise<{ execution_id: string }[]>) : undefined),
      () => undefined,
    );
    if (!open) continue;
    // Those that wait are in no memory.
    if (open.length === 0) return;
    const ids = open.map(({ execution_id }) => execution_id).join();
    if (ids === last) continue;
    last = ids;
    changedAt = performance.now();
  }
}
