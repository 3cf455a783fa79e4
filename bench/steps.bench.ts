/**
 * The cost of a durable step: nodes in a row whose request may not be repeated, so that a commit stands before and
 * after each, beside the same requests made one after the other without a workflow. `npm run bench -- steps [--quick]`.
 */
import { type BenchClient, requests, signUp } from './support/client.ts';
import { createOwnDatabase } from './support/own-database.ts';
import { type ServerProcess, startEcho, startMillrace } from './support/processes.ts';
import { median } from './support/quantile.ts';
import { printTable } from './support/table.ts';

const quick = process.argv.includes('--quick');
const COUNTS = quick ? [50, 200] : [100, 300, 1_000];
const ROUNDS = quick ? 3 : 5;
const COMMITS = /^millrace_journal_commits (\d+)/m;

const echo = await startEcho();
const target = `${echo.url}/echo`;

async function post(url: string): Promise<void> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"text":"hello"}',
  });
  const body = await answer.text();
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${body.slice(0, 500)}`);
}

/** Milliseconds per request. */
async function timeBare(count: number): Promise<number> {
  const began = performance.now();
  for (let at = 0; at < count; at++) await post(target);
  return (performance.now() - began) / count;
}

async function readCommits(server: ServerProcess): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  return Number(COMMITS.exec(text)?.[1] ?? 0);
}

async function measureChain(
  server: ServerProcess,
  client: BenchClient,
  count: number,
): Promise<(string | number)[]> {
  const url = await client.workflow(requests(count, target), { workflow_timeout_seconds: 3_600 });
  await post(url);
  const rounds: { step: number; bare: number; cpu: number; commits: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const bare = await timeBare(count);
    const [commits, cpu, began] = [await readCommits(server), server.cpuTime(), performance.now()];
    await post(url);
    rounds.push({
      bare,
      step: (performance.now() - began) / count,
      cpu: (server.cpuTime() - cpu) / count,
      commits: ((await readCommits(server)) - commits) / count,
    });
  }
  const of = (read: (round: (typeof rounds)[number]) => number) => median(rounds.map(read));
  return [
    count,
    of(({ step }) => step),
    of(({ bare }) => bare),
    of(({ step, bare }) => step - bare),
    of(({ cpu }) => cpu),
    of(({ commits }) => commits),
  ];
}

async function measure(name: string, env: Record<string, string>): Promise<(string | number)[][]> {
  const server = await startMillrace({ env: { ...env, HTTP_ALLOW_PRIVATE_URLS: 'true' } });
  const client = await signUp(server.url);
  const rows: (string | number)[][] = [];
  for (const count of COUNTS) rows.push([name, ...(await measureChain(server, client, count))]);
  await server.stop();
  return rows;
}

const rows = await measure('embedded', {});
const own = await createOwnDatabase();
if (own) {
  const keys = { SECRET_KEY: 'bench-secret', ENCRYPTION_KEY: 'bench-encryption' };
  rows.push(...(await measure('PostgreSQL', { ...keys, DATABASE_URL: own.url })));
  await own.drop();
} else console.log('no PostgreSQL server found; its case is left out');
await echo.stop();
printTable(
  [
    'database',
    'steps',
    'ms per step',
    'ms per bare request',
    'overhead ms',
    'CPU us per step',
    'commits per step',
  ],
  rows,
);
process.exit(0);
