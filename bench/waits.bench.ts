/**
 * Runs that only wait: what a process needs for them, how long it takes until it serves, how soon one of them continues once it
 * is due, and what an idle process asks the database, beside the same without any. `npm run bench -- waits [runs]`. Needs a
 * PostgreSQL server.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { signUp, waiting } from './support/client.ts';
import { requireOwnDatabase } from './support/own-database.ts';
import { startMillrace } from './support/processes.ts';
import { quantile } from './support/quantile.ts';
import { printTable } from './support/table.ts';

const RUNS = Number(process.argv.find((text) => /^\d+$/.test(text)) ?? 100_000);
const WAKES = 30;
const IDLE_SECONDS = 15;
/** After a start: migrations are looked at, caches are filled. */
const SETTLE_MS = 5_000;
const DAYS_MS = 86_400_000;

const database = await requireOwnDatabase();
const env = { DATABASE_URL: database.url, SECRET_KEY: 'bench-secret', ENCRYPTION_KEY: 'bench-encryption' };
const client = new Client({ connectionString: database.url });
await client.connect();

/** One run that waits for 20 days, as the product stores it, and as many copies of it as are wanted. */
async function fill(count: number): Promise<void> {
  const server = await startMillrace({ env, cores: '0-1' });
  const url = await (await signUp(server.url)).workflow(waiting(20 * DAYS_MS));
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  const { status } = (await answer.json()) as { status: string };
  if (status !== 'pending') throw new Error(`a run that should wait is ${status}`);
  await server.stop();
  for (const [table, key] of [
    ['runs', 'id'],
    ['steps', 'run_id'],
    ['waits', 'run_id'],
  ]) {
    const { rows } = await client.query<{ name: string }>(
      `SELECT column_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = $1`,
      [table],
    );
    const names = rows.map(({ name }) => `"${name}"`);
    const values = names.map((name) =>
      name === `"${key}"` ? `md5(n::text)::uuid` : name === '"token_hash"' ? 'NULL' : `t.${name}`,
    );
    await client.query(
      `INSERT INTO ${table} (${names.join()}) SELECT ${values.join()} FROM ${table} t, generate_series(1, $1::int) n`,
      [count - 1],
    );
  }
  await client.query('VACUUM ANALYZE');
}

/** From the moment at which a run is due to the one at which its end is stored, by the clock of the database. */
async function wake(): Promise<number> {
  const due = await client.query<{ run_id: string }>(
    `UPDATE waits SET due_at = now() WHERE ctid = (SELECT ctid FROM waits WHERE decided_at IS NULL ORDER BY random() LIMIT 1)
     RETURNING run_id`,
  );
  const [row] = due.rows;
  for (;;) {
    const { rows } = await client.query<{ ms: number | null }>(
      `SELECT (extract(epoch FROM r.finished_at - w.due_at) * 1000)::float8 AS ms
       FROM runs r JOIN waits w ON w.run_id = r.id WHERE r.id = $1`,
      [row?.run_id],
    );
    const ms = rows[0]?.ms;
    if (typeof ms === 'number') return ms;
    await pause(50);
  }
}

/** Transactions that the database has counted; a statement outside of a transaction is one. */
async function transactions(): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `SELECT (xact_commit + xact_rollback)::float8 AS count FROM pg_stat_database WHERE datname = current_database()`,
  );
  return rows[0]?.count ?? 0;
}

interface Figures {
  readonly start_ms: number;
  readonly memory_mb: number;
  readonly statements_per_second: number;
  readonly cpu_percent: number;
  readonly wakes_ms: readonly number[];
}

async function measure(wakes: number): Promise<Figures> {
  const server = await startMillrace({ env, cores: '0-1' });
  await pause(SETTLE_MS);
  const [before, cpu] = [await transactions(), server.cpuTime()];
  await pause(IDLE_SECONDS * 1000);
  const statements_per_second = ((await transactions()) - before - 1) / IDLE_SECONDS;
  const cpu_percent = (server.cpuTime() - cpu) / (IDLE_SECONDS * 1e6 * 0.01);
  const memory_mb = server.memory();
  const wakes_ms: number[] = [];
  for (let at = 0; at < wakes; at++) wakes_ms.push(await wake());
  await server.stop();
  return { start_ms: server.start_ms, memory_mb, statements_per_second, cpu_percent, wakes_ms };
}

await (await startMillrace({ env, cores: '0-1' })).stop();
const without = await measure(0);
await fill(RUNS);
const few = await client.query<{ waiting: number }>(
  'SELECT count(*)::int AS waiting FROM runs WHERE state = 2',
);
console.log(`${few.rows[0]?.waiting.toLocaleString('en-US')} runs wait`);
const among = await measure(WAKES);
printTable(
  ['what', 'without', `among ${RUNS.toLocaleString('en-US')}`],
  [
    ['ms until a process serves', without.start_ms, among.start_ms],
    ['MB of memory', without.memory_mb, among.memory_mb],
    ['statements per second, idle', without.statements_per_second, among.statements_per_second],
    ['% of a core, idle', without.cpu_percent, among.cpu_percent],
    ['ms from due to ended, p50', '', quantile(among.wakes_ms, 0.5)],
    ['ms from due to ended, p99', '', quantile(among.wakes_ms, 0.99)],
  ],
);
await client.end();
await database.drop();
process.exit(0);
