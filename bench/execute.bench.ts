/**
 * A call of a workflow with durable history beside a bare Fastify that echoes the same JSON, on the same core, in the
 * same run. `npm run bench -- execute [--quick] [--credentials | --guard]`; `--credentials` measures that part alone, `--guard`
 * compares this build with that of the commit in `bench/baseline` and fails when it is slower. Ends by itself; needs nothing, uses PostgreSQL where it finds one.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chain, createBody, signUp, waiting } from './support/client.ts';
import { keepsBaseline } from './support/guard.ts';
import { type Comparison, compare, generator, load, type Target } from './support/load.ts';
import { createOwnDatabase } from './support/own-database.ts';
import { canPin, type ServerProcess, startEcho, startMillrace } from './support/processes.ts';
import { printTable } from './support/table.ts';

const quick = process.argv.includes('--quick');
const SECONDS = quick ? 3 : 6;
const ROUNDS = quick ? 3 : 5;
const GROWTH_RUNS = quick ? 20_000 : 100_000;
const CONNECTIONS = 32;
const SMALL = createBody(400);
/** Targets that design and users set. */
const TARGET = { ratio: 0.2, p99_ms: 50 };

type Row = (string | number)[];
const HEADINGS = [
  'case',
  'req/s',
  'echo req/s',
  'of echo',
  'of echo by CPU',
  'p50 ms',
  'p99 ms',
  'CPU us/req',
  'failed',
];

if (process.argv.includes('--guard')) process.exit((await keepsBaseline()) ? 0 : 1);

const echo = await startEcho();
const yardstick: Target = { server: echo, url: `${echo.url}/echo` };

function toRow(name: string, { yardstick, measured, ratio, cpu_ratio }: Comparison): Row {
  const { per_second, p50_ms, p99_ms, cpu_us, failed } = measured;
  console.log(`${name}: ${ratio.toFixed(2)} of echo, ${cpu_ratio.toFixed(2)} by CPU, p99 ${p99_ms} ms`);
  const ratios = [ratio.toFixed(2), cpu_ratio.toFixed(2)];
  return [name, per_second, yardstick.per_second, ...ratios, p50_ms, p99_ms, cpu_us, failed];
}

async function measure(name: string, measured: Target, body = SMALL): Promise<Row> {
  const options = { body, connections: CONNECTIONS, seconds: SECONDS };
  return toRow(name, await compare({ yardstick, measured }, options, ROUNDS));
}

/** Node counts, body sizes and the stream, embedded. */
async function embedded(): Promise<Row[]> {
  const server = await startMillrace();
  const client = await signUp(server.url);
  const url = await client.workflow(chain(1));
  const rows = [await measure('embedded, 1 node', { server, url })];
  for (const count of [10, 100]) {
    const longer = await client.workflow(chain(count));
    rows.push(await measure(`embedded, ${count} nodes`, { server, url: longer }));
  }
  for (const kilobytes of [1, 100]) {
    rows.push(
      await measure(`embedded, 1 node, ${kilobytes} KB`, { server, url }, createBody(kilobytes * 1024)),
    );
  }
  rows.push(await measure('embedded, 1 node, streamed', { server, url: `${url}/stream` }));
  await server.stop();
  return rows;
}

/** Two processes as one target: the load goes to both through their addresses in turn. */
async function bothAtOnce(servers: readonly ServerProcess[], urls: readonly string[]): Promise<Row> {
  const options = { body: SMALL, connections: CONNECTIONS / 2, seconds: SECONDS };
  const targets = urls.map((url, at) => ({ server: servers[at] ?? echo, url }));
  for (const { url } of targets) await load({ ...options, url });
  const before = await load({ ...options, connections: CONNECTIONS, url: yardstick.url });
  const results = await Promise.all(urls.map((url) => load({ ...options, url })));
  const per_second = results.reduce((sum, one) => sum + one.per_second, 0);
  const p99_ms = Math.max(...results.map((one) => one.p99_ms));
  const failed = results.reduce((sum, one) => sum + one.failed, 0);
  const ratio = (per_second / before.per_second).toFixed(2);
  const p50_ms = Math.max(...results.map((one) => one.p50_ms));
  return [
    'PostgreSQL, 1 node, 2 processes',
    per_second,
    before.per_second,
    ratio,
    '',
    p50_ms,
    p99_ms,
    '',
    failed,
  ];
}

async function onPostgres(): Promise<Row[]> {
  const database = await createOwnDatabase();
  if (!database) {
    console.log('no PostgreSQL server found; its cases are left out');
    return [];
  }
  const env = { DATABASE_URL: database.url, SECRET_KEY: 'bench-secret', ENCRYPTION_KEY: 'bench-encryption' };
  const first = await startMillrace({ env });
  const url = await (await signUp(first.url)).workflow(chain(1));
  const rows = [await measure('PostgreSQL, 1 node', { server: first, url })];
  const second = await startMillrace({ env, cores: '1' });
  rows.push(await bothAtOnce([first, second], [url, url.replace(first.url, second.url)]));
  await Promise.all([first.stop(), second.stop()]);
  await database.drop();
  return rows;
}

/** First and second start on one folder, and memory before the first call. */
async function startUp(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-start-'));
  const env = { DATA_DIR: folder };
  const first = await startMillrace({ env, cores: '0-1' });
  await first.stop();
  const warm = await startMillrace({ env, cores: '0-1' });
  await pause(2_000);
  const idle = warm.memory();
  await warm.stop();
  rmSync(folder, { recursive: true, force: true });
  return [
    ['first start', `${first.start_ms} ms`],
    ['warm start', `${warm.start_ms} ms`],
    ['idle memory, embedded', `${idle} MB`],
  ];
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Memory after each fifth of the runs; a line that keeps rising is a leak. */
async function growth(): Promise<Row> {
  const server = await startMillrace();
  const url = await (await signUp(server.url)).workflow(chain(1));
  const seen: number[] = [];
  let done = 0;
  while (done < GROWTH_RUNS) {
    const before = done;
    while (done < before + GROWTH_RUNS / 5) {
      const { per_second } = await load({ url, body: SMALL, connections: CONNECTIONS, seconds: SECONDS });
      done += per_second * SECONDS;
    }
    seen.push(server.memory());
  }
  await server.stop();
  return [`memory over ${GROWTH_RUNS.toLocaleString('en-US')} runs`, `${seen.join(', ')} MB`];
}

const CREDENTIALS = 200;

/** The cost of hiding the values of many credentials: a person who has them beside one who has none, on one server. */
async function credentials(): Promise<Row[]> {
  const server = await startMillrace();
  const [none, many] = [await signUp(server.url), await signUp(server.url)];
  await many.credentials(CREDENTIALS);
  const yardstick: Target = { server, url: await none.workflow(chain(1)) };
  const measured: Target = { server, url: await many.workflow(chain(1)) };
  const rows: Row[] = [];
  for (const kilobytes of [0.4, 100]) {
    const body = createBody(kilobytes * 1024);
    const options = { body, connections: CONNECTIONS, seconds: SECONDS };
    const found = await compare({ yardstick, measured }, options, ROUNDS);
    rows.push([
      `${CREDENTIALS} credentials, ${kilobytes} KB`,
      found.yardstick.per_second,
      found.measured.per_second,
      found.ratio.toFixed(2),
      found.yardstick.cpu_us,
      found.measured.cpu_us,
      found.measured.failed,
    ]);
  }
  await server.stop();
  return rows;
}

const tellCredentials = async () =>
  printTable(
    ['case', 'req/s with none', 'req/s', 'of none', 'CPU us/req with none', 'CPU us/req', 'failed'],
    await credentials(),
  );

/** The cost of a run that only waits. */
async function waitingRuns(): Promise<Row> {
  const COUNT = 1_000;
  const server = await startMillrace({ env: { RUN_CONCURRENCY: '5000' } });
  const url = await (await signUp(server.url)).workflow(waiting(15_000));
  await fetch(url, { method: 'POST', body: '{}', signal: AbortSignal.timeout(200) }).catch(() => undefined);
  const before = server.memory();
  const answers = Array.from({ length: COUNT }, () =>
    fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: SMALL }).then(
      ({ status }) => status,
    ),
  );
  await pause(8_000);
  const during = server.memory();
  const statuses = await Promise.all(answers);
  await server.stop();
  const failed = statuses.filter((status) => status !== 200).length;
  return [
    `memory per ${COUNT.toLocaleString('en-US')} waiting runs`,
    `${during - before} MB, ${failed} failed`,
  ];
}

console.log(
  `${generator}, ${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS} s; ${canPin ? 'server and load on a core of their own' : 'not pinned'}`,
);
if (process.argv.includes('--credentials')) {
  await echo.stop();
  await tellCredentials();
  process.exit(0);
}
const rows = [...(await embedded()), ...(await onPostgres())];
await echo.stop();
printTable(HEADINGS, rows);
await tellCredentials();
printTable(['what', 'figure'], [...(await startUp()), await growth(), await waitingRuns()]);
console.log(
  `\ntarget of the first row: at least ${TARGET.ratio} of echo, p99 under ${TARGET.p99_ms} ms; warm start under 1,500 ms, idle memory under 400 MB`,
);
process.exit(0);
