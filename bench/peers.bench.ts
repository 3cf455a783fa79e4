/**
 * Other products with the same workflow: an HTTP call with a small JSON body, one step that takes a value of it, and the
 * answer with that value. What counts is finished runs that are in the storage afterwards. `npm run bench -- peers
 * [--quick]`; installs the products from npm into `.build/peers` the first time (3 GB) and is therefore not part of a plain `npm run bench`.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { dbos } from './peers/dbos.ts';
import { NODE_VERSION } from './peers/installed.ts';
import { millrace } from './peers/millrace.ts';
import { n8n } from './peers/n8n.ts';
import { nodeRed } from './peers/node-red.ts';
import type { Peer, RunningPeer } from './peers/peer.ts';
import { createBody } from './support/client.ts';
import { generator, type LoadResult, load } from './support/load.ts';
import { canPin } from './support/processes.ts';
import { printTable } from './support/table.ts';

const quick = process.argv.includes('--quick');
const SECONDS = quick ? 4 : 20;
const WARM_UP_SECONDS = quick ? 3 : 10;
const CONNECTIONS = 32;
const SETTLE_MS = 1_000;
const BODY = createBody(400);

interface Figures extends LoadResult {
  readonly stored_per_second: number;
  readonly memory: number;
  readonly start_ms: number;
}

/** The number of stored runs once it has stopped growing: some write after they have answered. */
async function settled(peer: RunningPeer): Promise<number> {
  let [before, now] = [-1, await peer.stored()];
  while (now !== before) {
    await pause(SETTLE_MS);
    [before, now] = [now, await peer.stored()];
  }
  return now;
}

async function underLoad(peer: RunningPeer): Promise<Figures> {
  const options = { url: peer.url, body: BODY, connections: CONNECTIONS };
  await load({ ...options, seconds: WARM_UP_SECONDS });
  const before = await settled(peer);
  const result = await load({ ...options, seconds: SECONDS });
  // The runs stored then would only be the calls in flight at the end.
  if (result.per_second === 0) throw new Error(`no call was answered within ${SECONDS} s`);
  const memory = peer.memory();
  const stored_per_second = ((await settled(peer)) - before) / SECONDS;
  return { ...result, stored_per_second, memory, start_ms: peer.start_ms };
}

async function measure(peer: Peer): Promise<Figures> {
  try {
    await peer.install();
    await peer.prepare();
    const running = await peer.start();
    return await underLoad(running).finally(() => running.stop());
  } finally {
    await peer.discard();
  }
}

/** One that cannot be measured says why in its line, and the others go on. */
async function attempt(peer: Peer): Promise<Figures | string> {
  try {
    const figures = await measure(peer);
    console.log(`${peer.name}: ${Math.round(figures.stored_per_second)} stored runs per second`);
    return figures;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.log(`${peer.name}: not measured: ${reason}`);
    return reason;
  }
}

interface Measured {
  readonly peer: Peer;
  readonly figures: Figures | string;
}

/** Stored runs of the peer for each one of Millrace on the same kind of storage. */
function formatRatio({ storage }: Peer, figures: Figures, all: readonly Measured[]): string {
  const own = all.find(({ peer }) => peer.name === `Millrace, ${storage}`)?.figures;
  if (storage === 'none' || typeof own !== 'object' || figures.stored_per_second === 0) return '-';
  return (figures.stored_per_second / own.stored_per_second).toFixed(2);
}

function toRow({ peer, figures }: Measured, all: readonly Measured[]): (string | number)[] {
  if (typeof figures === 'string') return [peer.name, 'not measured', '', '', '', '', '', '', '', figures];
  const { stored_per_second, per_second, p50_ms, p99_ms, failed, memory, start_ms } = figures;
  const stored = peer.storage === 'none' ? 'stores nothing' : stored_per_second;
  const ratio = formatRatio(peer, figures, all);
  const start = `${(start_ms / 1000).toFixed(1)} s`;
  return [
    peer.name,
    stored,
    ratio,
    per_second,
    p50_ms,
    p99_ms,
    String(failed),
    `${memory} MB`,
    start,
    peer.configuration,
  ];
}

console.log(
  `${generator}, ${CONNECTIONS} connections, ${SECONDS} s after ${WARM_UP_SECONDS} s of warm-up; Node ${NODE_VERSION} for all; ${canPin ? 'server and load on a core of their own' : 'not pinned'}`,
);
const peers = [
  millrace('embedded'),
  millrace('PostgreSQL'),
  n8n('as installed'),
  n8n('fast'),
  dbos(),
  nodeRed(),
];
// An interrupted benchmark leaves no server behind.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const all: Measured[] = [];
for (const peer of peers) all.push({ peer, figures: await attempt(peer) });
printTable(
  [
    'product',
    'stored/s',
    'of Millrace',
    'answers/s',
    'p50 ms',
    'p99 ms',
    'failed',
    'resident',
    'start',
    'configuration',
  ],
  all.map((one) => toRow(one, all)),
);
process.exit(0);
