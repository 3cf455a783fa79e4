/**
 * The cost of a run at the database: processor time of the PostgreSQL server, commits, bytes of its log and of its tables, without those of
 * an idle process, which are measured first. How many processes one server carries follows from them (docs/operations.md).
 * `npm run bench -- database-cost [--quick]`. Needs a PostgreSQL server on this machine.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { isInState } from '../apps/server/src/execution/store/run-state.ts';
import { chain, createBody, requests, signUp, startedByWebhook } from './support/client.ts';
import { load } from './support/load.ts';
import { requireOwnDatabase } from './support/own-database.ts';
import { startEcho, startMillrace } from './support/processes.ts';
import { printTable } from './support/table.ts';

const quick = process.argv.includes('--quick');
const SECONDS = quick ? 4 : 12;
const IDLE_SECONDS = quick ? 6 : 20;
/** After the load: queued runs end, and what follows a run is written. */
const SETTLE_MS = 8_000;
/** After the start: the planner learns sizes of a new database, and caches are filled. */
const START_MS = 20_000;
const CONNECTIONS = 32;
const BODY = createBody(400);
const MICROSECONDS_PER_TICK = 10_000;

const own = await requireOwnDatabase();
const client = new Client({ connectionString: own.url });
await client.connect();
const echo = await startEcho();
const server = await startMillrace({
  cores: '0-1',
  env: {
    DATABASE_URL: own.url,
    SECRET_KEY: 'bench-secret',
    ENCRYPTION_KEY: 'bench-encryption',
    HTTP_ALLOW_PRIVATE_URLS: 'true',
    TRIGGER_QUEUE_LIMIT: '1000000',
  },
});
const person = await signUp(server.url);

function readStat(pid: number | string): number[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
}

const PARENT = 1;
const TIMES = [11, 12] as const;
/** Of children that have ended. */
const ENDED_TIMES = [13, 14] as const;

const sum = (numbers: readonly (number | undefined)[]): number =>
  numbers.reduce<number>((total, number) => total + (number ?? 0), 0);

/** Microseconds that all processes of the server have used so far. */
async function readProcessorTime(): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const parent = readStat(rows[0]?.pid ?? 0)[PARENT] ?? 0;
  const main = readStat(parent);
  const ticks = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = readStat(pid);
        return stat[PARENT] === parent ? TIMES.map((at) => stat[at]) : [];
      } catch {
        // It has ended meanwhile, and counts as an ended child from now on.
        return [];
      }
    });
  return sum([...ticks, ...[...TIMES, ...ENDED_TIMES].map((at) => main[at])]) * MICROSECONDS_PER_TICK;
}

interface Reading {
  readonly cpu: number;
  readonly commits: number;
  readonly log: number;
  readonly size: number;
  readonly runs: number;
  /** Seconds. */
  readonly at: number;
}

async function read(): Promise<Reading> {
  const { rows } = await client.query<{ commits: number; log: number; size: number; runs: number }>(
    `SELECT xact_commit::float8 AS commits, (pg_current_wal_lsn() - '0/0'::pg_lsn)::float8 AS log,
       pg_database_size(current_database())::float8 AS size, (SELECT count(*)::float8 FROM runs WHERE ${isInState('done')}) AS runs
     FROM pg_stat_database WHERE datname = current_database()`,
  );
  const { commits = 0, log = 0, size = 0, runs = 0 } = rows[0] ?? {};
  return { cpu: await readProcessorTime(), commits, log, size, runs, at: performance.now() / 1000 };
}

type Idle = Awaited<ReturnType<typeof measureIdle>>;

async function measureRuns(name: string, url: string, idle: Idle): Promise<(string | number)[]> {
  await load({ url, body: BODY, connections: CONNECTIONS, seconds: 2 });
  await pause(SETTLE_MS);
  const before = await read();
  await load({ url, body: BODY, connections: CONNECTIONS, seconds: SECONDS });
  const after = await waitForRuns(before);
  const runs = after.runs - before.runs;
  const each = (key: 'cpu' | 'commits' | 'log' | 'size') =>
    (after[key] - before[key] - idle[key] * (after.at - before.at)) / runs;
  return [name, runs, each('cpu'), each('commits'), each('log'), each('size')];
}

/** The reading when no more runs end. */
async function waitForRuns(before: Reading): Promise<Reading> {
  for (let last = before; ; ) {
    await pause(SETTLE_MS);
    const now = await read();
    if (now.runs === last.runs) return now;
    last = now;
  }
}

/** Per second, of a process without runs. */
async function measureIdle() {
  await pause(START_MS);
  const before = await read();
  await pause(IDLE_SECONDS * 1000);
  const after = await read();
  const each = (key: keyof Reading) => (after[key] - before[key]) / (after.at - before.at);
  return { cpu: each('cpu'), commits: each('commits'), log: each('log'), size: 0 };
}

async function measure(): Promise<{ idle: Idle; rows: (string | number)[][] }> {
  const idle = await measureIdle();
  const kinds = [
    ['1 node, caller waits', await person.workflow(chain(1))],
    ['10 nodes, caller waits', await person.workflow(chain(10))],
    ['3 requests that may not be repeated', await person.workflow(requests(3, `${echo.url}/echo`))],
  ] as const;
  await person.workflow(startedByWebhook(chain(1), 'bench'));
  const rows = [];
  for (const [name, url] of [...kinds, ['webhook, queued', `${server.url}/api/webhooks/bench`] as const])
    rows.push(await measureRuns(name, url, idle));
  return { idle, rows };
}

const { idle, rows } = await measure().finally(async () => {
  await server.stop();
  await echo.stop();
  await client.end();
  await own.drop();
});

printTable(['of the database, per run', 'runs', 'CPU us', 'commits', 'log bytes', 'table bytes'], rows);
printTable(
  ['', 'CPU us', 'commits', 'log bytes'],
  [['one idle process, per second', idle.cpu, idle.commits, idle.log]],
);
