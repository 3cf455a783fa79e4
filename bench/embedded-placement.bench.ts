// Where the embedded database runs: on the main thread or in a thread of its own, on one core and on two. Rates, latency,
// lateness of the event loop, and the effect of one slow query on all other requests.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { measuredLoad } from './support/load.ts';
import { canPin } from './support/processes.ts';

const SECONDS = Number(process.argv[2] ?? 5);
const SERVER = fileURLToPath(new URL('./support/placement-server.ts', import.meta.url));
const ALL_CORES = `0-${availableParallelism() - 1}`;
const BODY = JSON.stringify({ name: 'Ada "Lovelace"', items: [1, 2, 3], text: 'some text '.repeat(30) });

interface Placement {
  readonly where: 'main' | 'thread';
  readonly log: 'plain' | 'synced';
  readonly cores: string;
}

async function startServer({ where, log, cores }: Placement) {
  const node = [process.execPath, '--import', 'tsx', SERVER, where, log];
  const [command = '', ...args] = canPin ? ['taskset', '-c', cores, ...node] : node;
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).once('line', (line) => {
      resolve((JSON.parse(line) as { address: string }).address);
    });
  });
  const stop = () => {
    const exited = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    return exited;
  };
  return { url, stop };
}

const readDelay = async (url: string) =>
  ((await (await fetch(`${url}/delay`)).json()) as { p99_ms: number }).p99_ms;

async function measure(placement: Placement): Promise<string> {
  const { url, stop } = await startServer(placement);
  const options = { url: `${url}/execute`, body: BODY, connections: 32, seconds: SECONDS };
  await readDelay(url);
  const result = await measuredLoad(options);
  const loopDelay = await readDelay(url);
  // While one query reads the whole history, how late does a request that needs no database get?
  const slow = fetch(`${url}/history`).then((answer) => answer.text());
  const from = performance.now();
  await readDelay(url);
  const behindQuery = performance.now() - from;
  await slow;
  await stop();
  const numbers = [result.per_second.toFixed(0), result.p50_ms, result.p99_ms, loopDelay, behindQuery];
  return numbers.map((value) => (typeof value === 'number' ? value.toFixed(1) : value)).join(' | ');
}

console.log(
  '| Database | Log | Cores | Runs/s | p50 ms | p99 ms | Loop delay p99 ms | Health behind a slow query ms |',
);
console.log('|---|---|---|---|---|---|---|---|');
for (const cores of ['0', ALL_CORES]) {
  for (const [where, log] of [
    ['main', 'plain'],
    ['thread', 'plain'],
    ['thread', 'synced'],
  ] as const) {
    const numbers = await measure({ where, log, cores });
    console.log(`| ${where === 'main' ? 'main thread' : 'own thread'} | ${log} | ${cores} | ${numbers} |`);
  }
}
