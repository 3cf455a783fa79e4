/**
 * Analytics of a million runs of 100 workflows: the endpoints, beside counting the same from the runs themselves. The runs are
 * spread over a year, which is the worst case: nearly every run falls into a separate hour. `npm run bench -- analytics [rows]`
 */

import { keepSnapshots } from '../apps/server/src/resources/analytics/upkeep.ts';
import { createApp } from '../apps/server/src/startup/app.ts';
import { createTestApp } from '../apps/server/src/testing/index.ts';
import { median } from './support/quantile.ts';
import { scratchEmbedded, scratchPostgres } from './support/scratch.ts';
import { printTable } from './support/table.ts';

const ROWS = Number(process.argv.find((text) => /^\d+$/.test(text)) ?? 1_000_000);
const WORKFLOWS = 100;
const CALLS = 20;

const PATHS = [
  'stats?time_range=24h',
  'stats?time_range=30d',
  'stats?time_range=all',
  'metrics?time_range=7d&bucket_size=1h',
  'metrics?time_range=30d&bucket_size=1h',
  'metrics?time_range=all',
  'workflows?time_range=all',
];

/** The same counts from the runs. */
const RECOUNT = `SELECT count(*), count(*) FILTER (WHERE status = 'success'), avg(duration_ms),
  percentile_disc(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY duration_ms) FROM runs WHERE state = 3`;

async function medianTime(act: () => Promise<unknown>, calls = CALLS): Promise<number> {
  const times: number[] = [];
  for (let call = -1; call < calls; call++) {
    const began = performance.now();
    await act();
    if (call >= 0) times.push(performance.now() - began);
  }
  return median(times);
}

async function measure(name: string, scratch: Awaited<ReturnType<typeof scratchEmbedded>>): Promise<void> {
  const test = await createTestApp({ database: { ...scratch.database, close: () => Promise.resolve() } });
  const { sql } = scratch.database;
  const me = await test.user('Me');
  await sql.query({
    text: `INSERT INTO workflows (id, name, owner_id, version_id)
      SELECT gen_random_uuid(), 'w' || n, $1, gen_random_uuid() FROM generate_series(1, ${WORKFLOWS}) n`,
    values: [me.id],
  });
  const slice = 50_000;
  for (let from = 0; from < ROWS; from += slice) {
    await sql.query({
      text: `INSERT INTO runs (id, workflow_id, state, status, trigger_source, attempt, input, started_at, duration_ms)
        SELECT (lpad(to_hex(at), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5('x' || n), 1, 15))::uuid, id, 3,
          CASE WHEN n % 50 = 0 THEN 'error' ELSE 'success' END, 'API', 1, '{}', to_timestamp(at / 1000.0),
          (10 * exp(5 * random()))::bigint
        FROM (SELECT n, (extract(epoch FROM now()) * 1000)::bigint - (n::bigint * 365 * 86400000 / ${ROWS}) AS at
          FROM generate_series(${from + 1}, ${Math.min(ROWS, from + slice)}) n) x
        JOIN (SELECT id, row_number() OVER (ORDER BY id) AS place FROM workflows) w ON w.place = 1 + (n::bigint * 7919) % ${WORKFLOWS}`,
    });
  }
  const began = performance.now();
  await sql.query({ text: 'INSERT INTO analytics_rebuilds (workflow_id) SELECT id FROM workflows' });
  const left = async () =>
    (await sql.query({ text: 'SELECT 1 FROM analytics_rebuilds LIMIT 1' })).rows.length;
  while ((await left()) > 0) await keepSnapshots(test.services);
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  await sql.query({ text: 'ANALYZE' });
  // The test application also checks answers against the contract, which the product does not.
  const app = await createApp({ services: test.services });
  const headers = { authorization: `Bearer ${me.access_token}` };
  const recount = await medianTime(() => sql.query({ text: RECOUNT }), 3);
  const rows: (string | number)[][] = [];
  for (const path of PATHS) {
    const url = `/api/analytics/${path}`;
    const answer = await app.inject({ method: 'GET', url, headers });
    if (answer.statusCode !== 200) throw new Error(`${url} answered ${answer.statusCode}: ${answer.body}`);
    const ms = await medianTime(() => app.inject({ method: 'GET', url, headers }));
    rows.push([path, ms, (recount / ms).toFixed(0)]);
  }
  console.log(
    `\n${name}: ${ROWS.toLocaleString('en-US')} runs counted anew in ${seconds} s; one recount ${Math.round(recount)} ms`,
  );
  printTable(['endpoint', 'p50 ms', 'recounts in that time'], rows);
  await app.close();
  await test.close();
  await scratch.close();
}

const postgres = await scratchPostgres();
if (postgres) await measure('PostgreSQL', postgres);
else console.log('no PostgreSQL server found');
if (!process.argv.includes('postgres')) await measure('embedded', await scratchEmbedded({ thread: false }));
process.exit(0);
