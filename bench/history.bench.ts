/**
 * Listing and reading among a million runs in PostgreSQL, beside the same among a thousand: a figure that follows the
 * number of rows would show as a ratio far from one. `npm run bench -- history [rows]`. Needs a PostgreSQL server.
 */
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { requireOwnDatabase } from './support/own-database.ts';
import { startMillrace } from './support/processes.ts';
import { quantile } from './support/quantile.ts';
import { printTable } from './support/table.ts';

const ROWS = Number(process.argv.find((text) => /^\d+$/.test(text)) ?? 1_000_000);
const FEW = 1_000;
const CALLS = 100;

const database = await requireOwnDatabase();
const env = { DATABASE_URL: database.url, SECRET_KEY: 'bench-secret', ENCRYPTION_KEY: 'bench-encryption' };
const server = await startMillrace({ env, cores: '0-1' });

async function call(
  method: string,
  path: string,
  body?: unknown,
  token?: string,
): Promise<Record<string, unknown>> {
  const answer = await fetch(`${server.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`);
  return (await answer.json()) as Record<string, unknown>;
}

async function person(): Promise<string> {
  const email = `${randomUUID()}@example.com`;
  const session = await call('POST', '/api/auth/register', { email, password: 'Passw0rd!', name: 'Bench' });
  return String(session['access_token']);
}
const createWorkflow = async (token: string): Promise<string> =>
  String((await call('POST', '/api/workflows', { name: 'Bench' }, token))['id']);

/** Rows as the journal writes them, one every three seconds up to now, every fiftieth a failure. */
async function fill(client: Client, workflow_id: string, count: number, is_usual = true): Promise<void> {
  await client.query(
    `INSERT INTO runs (id, workflow_id, state, status, trigger_source, input, outputs, records, started_at, finished_at,
        execution_time_ms, attempt)
      SELECT (lpad(to_hex(at), 12, '0') || '7' || substr(md5(at::text || $1), 1, 3) || '8' || substr(md5($1 || at::text), 1, 15))::uuid,
        $1::uuid, 3, CASE WHEN n % 50 = 0 THEN 'error' WHEN $3 THEN 'success' ELSE 'rate_limited' END,
        CASE WHEN n % 10 = 0 THEN 'cron' WHEN $3 THEN 'API' ELSE 'Canvas' END,
        '{"headers":{},"query":{},"body":{"n":' || n || '}}', '{"out":{"result":' || n || '}}',
        '[["a","a","set","","success",1,1,1,2,1,["output"],{"n":' || n || '}]]',
        to_timestamp(at / 1000.0), to_timestamp(at / 1000.0), 5, 1
      FROM (SELECT n, (extract(epoch FROM now()) * 1000)::bigint - ($2::bigint - n) * 3000 AS at
            FROM generate_series(1, $2::bigint) n) x`,
    [workflow_id, count, is_usual],
  );
}

/** `least` is what neighbours disturb least. */
async function timed(path: string, token: string): Promise<{ least: number; p50: number; p99: number }> {
  const times: number[] = [];
  for (let at = 0; at < CALLS; at++) {
    const began = performance.now();
    await call('GET', path, undefined, token);
    times.push(performance.now() - began);
  }
  return { least: Math.min(...times), p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

const many = await person();
const few = await person();
const manyId = await createWorkflow(many);
const fewId = await createWorkflow(few);
const client = new Client({ connectionString: database.url });
await client.connect();
const began = performance.now();
await fill(client, manyId, ROWS);
await fill(client, fewId, FEW);
/** Of the person with many runs: as many in which nothing is what runs usually are, which have no small counterpart. */
const unusual = { workflow_id: await createWorkflow(many) };
await fill(client, unusual.workflow_id, ROWS, false);
await client.query('ANALYZE runs');
console.log(
  `${ROWS.toLocaleString('en-US')} runs written in ${Math.round((performance.now() - began) / 1000)} s`,
);

const middle = await client.query<{ id: string; started_at: Date }>(
  'SELECT id, started_at FROM runs WHERE workflow_id = $1 ORDER BY id OFFSET $2 LIMIT 1',
  [manyId, Math.floor(ROWS / 2)],
);
const [half] = middle.rows;
const fewHalf = await client.query<{ id: string }>(
  'SELECT id FROM runs WHERE workflow_id = $1 ORDER BY id OFFSET $2 LIMIT 1',
  [fewId, FEW / 2],
);
const at = half?.started_at.toISOString() ?? '';
const CASES: [string, (id: string, entry: string) => string][] = [
  ['list, first page', (id) => `/api/workflows/${id}/history`],
  ['list, page in the middle', (id, entry) => `/api/workflows/${id}/history?before=${entry}`],
  ['list, failures only', (id) => `/api/workflows/${id}/history?status=error`],
  [
    'list, successes where there are none',
    () => `/api/workflows/${unusual.workflow_id}/history?status=success`,
  ],
  [
    'list, API calls where there are none',
    () => `/api/workflows/${unusual.workflow_id}/history?trigger_source=API`,
  ],
  ['list, up to an instant', (id) => `/api/workflows/${id}/history?to=${at}`],
  ['list, search of the newest', (id) => `/api/workflows/${id}/history?search=%22n%22:7`],
  ['list of all workflows', () => '/api/workflows/history/all'],
  ['detail', (id, entry) => `/api/workflows/${id}/history/${entry}`],
];

const rows: (string | number)[][] = [];
for (const [name, path] of CASES) {
  const large = await timed(path(manyId, half?.id ?? ''), many);
  const fewPath = path(fewId, fewHalf.rows[0]?.id ?? '');
  const small = fewPath.includes(unusual.workflow_id) ? large : await timed(fewPath, few);
  rows.push([name, large.least, large.p50, large.p99, small.p50, (large.p50 / small.p50).toFixed(1)]);
}
printTable(['case', 'least ms', `p50 ms of ${ROWS}`, 'p99 ms', `p50 ms of ${FEW}`, 'ratio'], rows);
const plan = await client.query<{ 'QUERY PLAN': string }>(
  'EXPLAIN ANALYZE SELECT id, status FROM runs WHERE workflow_id = $1 ORDER BY id DESC LIMIT 50',
  [manyId],
);
console.log(`\nplan of the first page:\n${plan.rows.map((row) => row['QUERY PLAN']).join('\n')}`);
await client.end();
await server.stop();
await database.drop();
process.exit(0);
