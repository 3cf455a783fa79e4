// Renews the lease of this process from a thread of its own, so that a busy event loop does not cost it its runs; stops
// renewing while that loop is stuck, so that a process which does nothing does not keep them either; and ends the process
// when the loop stays stuck.
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { Client } from 'pg';
import type { LeaseTerms } from '../../ports/coordination/lease.ts';
import { guardLoop } from '../threads/loop-guard.ts';
import { loopPulse } from '../threads/loop-pulse.ts';
import { leaseClock } from './lease-clock.ts';

/** Messages of the thread: failures until the first renewal only, for they are reasons not to start. */
export type LeaseMessage = 'renewed' | 'lost' | { readonly failure: string };

export interface LeaseThreadData extends LeaseTerms {
  readonly url: string;
  /** Of the lease's clock. */
  readonly memory: SharedArrayBuffer;
  readonly pulse_memory: SharedArrayBuffer;
}

const port = parentPort;
if (!port) throw new Error('lease-thread runs as a worker thread only');
const { url, worker_id, lease_ms, stuck_ms, memory, pulse_memory } = workerData as LeaseThreadData;
const clock = leaseClock(memory);
const pulse = loopPulse(pulse_memory);

const NANOSECONDS = 1_000_000n;
const interval_ms = lease_ms / 4;
/** Effects stop when a quarter of the lease is left, for they take time to arrive. */
const safe_ns = (BigInt(lease_ms) * NANOSECONDS * 3n) / 4n;
const stuck_ns = (BigInt(lease_ms) * NANOSECONDS) / 2n;

let client: Client | undefined;
let announced = false;
const stop = new AbortController();

async function connected(): Promise<Client> {
  if (client) return client;
  const fresh = new Client({
    connectionString: url,
    connectionTimeoutMillis: Math.max(500, interval_ms),
    query_timeout: Math.max(500, interval_ms),
    keepAlive: true,
  });
  const drop = () => {
    if (client === fresh) client = undefined;
  };
  fresh.on('error', drop);
  fresh.on('end', drop);
  await fresh.connect();
  client = fresh;
  return fresh;
}

async function renew(): Promise<void> {
  // Counted from before the statement, because the database may have executed it at any time since.
  const sentAt = process.hrtime.bigint();
  const database = await connected();
  const { rowCount } = await database.query({
    name: 'renew_lease',
    text: `UPDATE workers SET lease_until = now() + make_interval(secs => $2) WHERE id = $1 AND alive`,
    values: [worker_id, lease_ms / 1000],
  });
  if (rowCount === 0) {
    clock.lose();
    port?.postMessage('lost');
    stop.abort();
    return;
  }
  clock.extend(sentAt + safe_ns);
  if (announced) return;
  announced = true;
  port?.postMessage('renewed');
}

async function attempt(): Promise<void> {
  if (process.hrtime.bigint() - pulse.lastTurn() > stuck_ns) return;
  try {
    await renew();
  } catch (error) {
    if (!announced) port?.postMessage({ failure: error instanceof Error ? error.message : String(error) });
    const broken = client;
    client = undefined;
    broken?.end().catch(() => undefined);
  }
}

port.on('message', () => stop.abort());

if (stuck_ms !== undefined) guardLoop(pulse, stuck_ms);
while (!stop.signal.aborted) {
  await attempt();
  await sleep(client ? interval_ms : Math.min(interval_ms, 250));
}
await client?.end().catch(() => undefined);
port.close();
