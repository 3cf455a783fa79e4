// Deleting a workflow with many runs: how long the deletion itself takes, how long a slice does, and what another statement
// waits meanwhile. Arguments: number of runs, and `embedded` or `PostgreSQL` for one of the two.
import { randomUUID } from 'node:crypto';
import type { SqlClient } from '../apps/server/src/database/sql-client.ts';
import {
  countDoomedRuns,
  deleteSlice,
  finishDeletion,
} from '../apps/server/src/execution/store/jobs/run-deletions.ts';
import { quantile } from './support/quantile.ts';
import { type Scratch, scratchEmbedded, scratchPostgres } from './support/scratch.ts';
import { printTable } from './support/table.ts';

const RUNS = Number(process.argv[2] ?? 1_000_000);
const ONLY = process.argv[3];
const SLICES = [500, 1_000, 2_000];

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const from = performance.now();
  await work();
  return performance.now() - from;
};

const rounded = (values: readonly number[], share: number) => quantile(values, share).toFixed(0);

/** A workflow with runs of three node results each, a tenth of them with two rows in `steps`. */
async function fill(sql: SqlClient): Promise<string> {
  const [user, workflow] = [randomUUID(), randomUUID()];
  await sql.query({
    text: `INSERT INTO users (id, email, password_hash, name) VALUES ($1, $2, 'x', 'x')`,
    values: [user, `${user}@example.com`],
  });
  await sql.query({
    text: `INSERT INTO workflows (id, name, owner_id, version_id) VALUES ($1, 'bench', $2, $1)`,
    values: [workflow, user],
  });
  for (let from = 0; from < RUNS; from += 20_000)
    await sql.query({
      text: `WITH r AS (INSERT INTO runs (id, workflow_id, state, status, input, records, started_at)
          SELECT gen_random_uuid(), $1, 3, 'success', repeat('i', 400), repeat('r', 600), now()
          FROM generate_series(1, $2::int) RETURNING id)
        INSERT INTO steps (run_id, node_id, kind, sequence, record, worker_id)
        SELECT id, 'n' || n, 'done', n, repeat('r', 200), id FROM r, generate_series(1, 2) n
        WHERE left(id::text, 1) = '0'`,
      values: [workflow, Math.min(20_000, RUNS - from)],
    });
  await sql.query({ text: 'ANALYZE runs, steps' });
  return workflow;
}

async function measure(name: string, { database }: Scratch): Promise<(string | number)[][]> {
  const { sql } = database;
  const workflow_id = await fill(sql);
  const at_once = await timed(() =>
    sql.query({ text: 'DELETE FROM workflows WHERE id = $1', values: [workflow_id] }),
  );
  const counting = await timed(() => countDoomedRuns(sql, workflow_id));
  const rows = [];
  for (const slice of SLICES) {
    const [slices, others]: [number[], number[]] = [[], []];
    const from = performance.now();
    const enough = slice === SLICES.at(-1) ? Number.POSITIVE_INFINITY : RUNS / SLICES.length / slice;
    let deleted = 0;
    for (;;) {
      const other = timed(() => sql.query({ text: 'SELECT count(*) FROM workers' }));
      let rowsDeleted: number | undefined = 0;
      slices.push(
        await timed(async () => {
          rowsDeleted = await deleteSlice(sql, { workflow_id, slice });
        }),
      );
      others.push(await other);
      deleted += rowsDeleted ?? 0;
      if (!rowsDeleted || slices.length >= enough) break;
    }
    const rate = deleted / ((performance.now() - from) / 1_000);
    rows.push([
      name,
      RUNS.toLocaleString('en-US'),
      at_once.toFixed(0),
      counting.toFixed(0),
      slice,
      `${rounded(slices, 0.5)} / ${rounded(slices, 0.99)}`,
      rounded(others, 0.99),
      rate.toFixed(0),
    ]);
  }
  await finishDeletion(sql, workflow_id);
  const left = await sql.query({ text: 'SELECT 1 FROM run_deletions' });
  if (left.rows.length > 0) throw new Error('the deletion is not finished');
  return rows;
}

const rows = [];
for (const [name, open] of [
  ['embedded', () => scratchEmbedded({ thread: true })],
  ['PostgreSQL', scratchPostgres],
] as const) {
  if (ONLY !== undefined && ONLY !== name) continue;
  const scratch = await open();
  if (!scratch) continue;
  rows.push(...(await measure(name, scratch)));
  await scratch.close();
}
printTable(
  [
    'database',
    'runs',
    'deleting the workflow, ms',
    'counting, ms',
    'slice',
    'a slice, ms p50 / p99',
    'other statement p99 ms',
    'runs/s',
  ],
  rows,
);
process.exit(0);
