/**
 * The cost of a flood to others: how long one run after the other of a quiet workflow takes from being stored to its
 * end, alone, beside the flood of another person, and beside the flood of a workflow that limits its runs; and how two
 * floods share a process when one person spreads theirs over several workflows. `npm run bench -- fair-share`. Needs a
 * PostgreSQL server.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { signUp, startedByWebhook, waiting } from './support/client.ts';
import { requireOwnDatabase } from './support/own-database.ts';
import { startMillrace } from './support/processes.ts';
import { quantile } from './support/quantile.ts';
import { printTable } from './support/table.ts';

const RUN_MS = 100;
const FLOOD = 3_000;
const QUIET_RUNS = 40;
/** Runs that the process executes at once. */
const CONCURRENCY = 20;
const SPREAD_OVER = 5;
const SHARED_RUNS = 300;
/** Longer than between two deliveries, so that there is a backlog from the start. */
const SHARED_RUN_MS = 1_000;

const own = await requireOwnDatabase();
const client = new Client({ connectionString: own.url });
await client.connect();
const server = await startMillrace({
  env: {
    DATABASE_URL: own.url,
    SECRET_KEY: 'bench-secret',
    ENCRYPTION_KEY: 'bench-encryption',
    RUN_CONCURRENCY: String(CONCURRENCY),
    TRIGGER_QUEUE_LIMIT: '100000',
  },
  cores: '0-1',
});

let hooks = 0;

/** A workflow that a webhook starts and that takes so long. */
async function hooked(person: Awaited<ReturnType<typeof signUp>>, settings: object = {}, run_ms = RUN_MS) {
  const id = `bench-${(hooks += 1)}`;
  const url = await person.workflow(startedByWebhook(waiting(run_ms), id), settings);
  return { id: url.split('/').at(-2) ?? '', address: `${server.url}/api/webhooks/${id}` };
}

type Hooked = Awaited<ReturnType<typeof hooked>>;

async function deliver({ address }: Hooked): Promise<string> {
  const answer = await fetch(address, {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json' },
  });
  const run_id = answer.headers.get('x-execution-id');
  await answer.arrayBuffer();
  if (!answer.ok || run_id === null) throw new Error(`a delivery was answered with ${answer.status}`);
  return run_id;
}

async function flood(of: readonly Hooked[], count: number): Promise<void> {
  for (let at = 0; at < count; at += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, more) => of[(at + more) % of.length]).flatMap((workflow) =>
        workflow ? [deliver(workflow)] : [],
      ),
    );
}

async function waitForEnd(run_id: string): Promise<number> {
  for (;;) {
    const { rows } = await client.query<{ ms: number | null }>(
      'SELECT (extract(epoch FROM finished_at - started_at) * 1000)::float8 AS ms FROM runs WHERE id = $1',
      [run_id],
    );
    const ms = rows[0]?.ms;
    if (typeof ms === 'number') return ms;
    await pause(10);
  }
}

/** Milliseconds from stored to ended, of runs that come one after the other. */
async function quietRuns(workflow: Hooked): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < QUIET_RUNS; at++) times.push(await waitForEnd(await deliver(workflow)));
  return times;
}

const clear = async () => {
  await client.query('DELETE FROM runs WHERE state = 0');
  for (;;) {
    const { rows } = await client.query<{ open: number }>(
      'SELECT count(*)::int AS open FROM runs WHERE state < 3',
    );
    if (rows[0]?.open === 0) return;
    await pause(50);
  }
};

const [loud, quiet] = [await signUp(server.url), await signUp(server.url)];
const calm = await hooked(quiet);
const flooding = await hooked(loud);
const limited = await hooked(loud, { concurrency_limit: 4 });
await quietRuns(calm);
const alone = await quietRuns(calm);
await flood([flooding], FLOOD);
const beside = await quietRuns(calm);
await clear();
await flood([limited], FLOOD);
const besideLimited = await quietRuns(calm);
await clear();

const row = (what: string, times: readonly number[]) => [
  what,
  quantile(times, 0.5),
  quantile(times, 0.95),
  quantile(times, 0.5) / quantile(alone, 0.5),
  quantile(times, 0.95) / quantile(alone, 0.95),
];
printTable(
  ['one run after the other', 'p50 ms', 'p95 ms', 'p50 : alone', 'p95 : alone'],
  [
    row('alone', alone),
    row(`beside ${FLOOD} queued runs of another person`, beside),
    row(`beside ${FLOOD} runs that wait for a place`, besideLimited),
  ],
);

/** Share of the runs that ended first. */
async function shareOfOne(spread: number): Promise<number> {
  const many: Hooked[] = [];
  for (let more = 0; more < spread; more++) many.push(await hooked(loud, {}, SHARED_RUN_MS));
  const one = await hooked(quiet, {}, SHARED_RUN_MS);
  await flood([...many, one], SHARED_RUNS * (spread + 1));
  const ids = [...many, one].map(({ id }) => id);
  for (;;) {
    const { rows } = await client.query<{ of_one: number; all: number }>(
      `SELECT count(*) FILTER (WHERE workflow_id = $1)::int AS of_one, count(*)::int AS all FROM (
        SELECT workflow_id FROM runs WHERE workflow_id = ANY($2) AND state = 3 ORDER BY finished_at LIMIT $3) first`,
      [one.id, ids, SHARED_RUNS],
    );
    const [found] = rows;
    if (found && found.all >= SHARED_RUNS) {
      await clear();
      return found.of_one / found.all;
    }
    await pause(100);
  }
}

printTable(
  ['two people, of whom one floods', 'share of the other', 'an even share'],
  [
    ['one workflow', await shareOfOne(1), 0.5],
    [`${SPREAD_OVER} workflows`, await shareOfOne(SPREAD_OVER), 0.5],
  ],
);
await server.stop();
await client.end();
await own.drop();
process.exit(0);
