import type { Lease, LeaseTerms } from '../../ports/coordination/lease.ts';
import { loopPulse, showPulse } from '../threads/loop-pulse.ts';
import { startThread } from '../threads/start-thread.ts';
import { leaseClock } from './lease-clock.ts';
import type { LeaseMessage, LeaseThreadData } from './lease-thread.ts';

/** How often per lease the event loop shows that it turns. */
const TURNS_PER_LEASE = 16;

/** A start that still fails this long after its first failure is given up with the reason. */
const FIRST_RENEWAL_MS = 10_000;

async function stopThread(thread: ReturnType<typeof startThread>): Promise<void> {
  thread.ref();
  const exited = new Promise((resolve) => thread.once('exit', resolve));
  thread.postMessage('stop');
  // The thread may sleep until its next renewal.
  await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, 50))]);
  await thread.terminate();
}

/** Renews the lease from a thread with a connection of its own. Resolves after the first renewal. */
export async function keepLease({
  url,
  start_ms = FIRST_RENEWAL_MS,
  ...terms
}: LeaseTerms & { url: string; start_ms?: number }): Promise<Lease> {
  const clock = leaseClock();
  const pulse = loopPulse();
  const stopPulse = showPulse(pulse, terms.lease_ms / TURNS_PER_LEASE);
  const data: LeaseThreadData = { url, ...terms, memory: clock.memory, pulse_memory: pulse.memory };
  const thread = startThread('../postgres/lease-thread.ts', data);
  const onLost: (() => void)[] = [];
  let ended = false;
  const lose = () => {
    clock.lose();
    if (!ended) for (const receive of onLost.splice(0)) receive();
  };
  let failure = 'its thread ended';
  let late: NodeJS.Timeout | undefined;
  const renewed = new Promise<void>((resolve, reject) => {
    const giveUp = () => reject(new Error(`The lease of this process could not be renewed: ${failure}`));
    thread.on('message', (message: LeaseMessage) => {
      if (typeof message === 'object') {
        failure = message.failure;
        late ??= setTimeout(giveUp, start_ms);
      } else if (message === 'renewed') resolve();
      else lose();
    });
    thread.once('error', (error) => {
      failure = error instanceof Error ? error.message : String(error);
      lose();
      giveUp();
    });
    thread.once('exit', () => {
      lose();
      giveUp();
    });
  });
  try {
    await renewed;
  } catch (error) {
    ended = true;
    stopPulse();
    await thread.terminate();
    throw error;
  } finally {
    clearTimeout(late);
  }
  thread.unref();
  return {
    isSafe: () => !clock.isLost() && process.hrtime.bigint() < clock.validUntil(),
    onLost: (receive) => void onLost.push(receive),
    async stop() {
      ended = true;
      stopPulse();
      await stopThread(thread);
    },
  };
}
