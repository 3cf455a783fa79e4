import type { Lease, LeaseTerms } from '../../ports/lease.ts';
import { loopPulse, showPulse } from '../loop-pulse.ts';
import { startThread } from '../start-thread.ts';
import { leaseClock } from './lease-clock.ts';
import type { LeaseThreadData } from './lease-thread.ts';

/** How often per lease the event loop shows that it turns. */
const TURNS_PER_LEASE = 16;

/** Renews the lease from a thread with a connection of its own. Resolves after the first renewal. */
export async function keepLease({ url, ...terms }: LeaseTerms & { url: string }): Promise<Lease> {
  const clock = leaseClock();
  const pulse = loopPulse();
  const stopPulse = showPulse(pulse, terms.lease_ms / TURNS_PER_LEASE);
  const data: LeaseThreadData = { url, ...terms, memory: clock.memory, pulse_memory: pulse.memory };
  const thread = startThread('./postgres/lease-thread.ts', data);
  const onLost: (() => void)[] = [];
  let ended = false;
  const lose = () => {
    clock.lose();
    if (!ended) for (const receive of onLost.splice(0)) receive();
  };
  await new Promise<void>((resolve, reject) => {
    thread.on('message', (message) => (message === 'renewed' ? resolve() : lose()));
    thread.once('error', (error) => {
      lose();
      reject(error instanceof Error ? error : new Error(String(error)));
    });
    thread.once('exit', () => {
      lose();
      reject(new Error('the lease could not be renewed'));
    });
  });
  thread.unref();
  return {
    isSafe: () => !clock.isLost() && process.hrtime.bigint() < clock.validUntil(),
    onLost: (receive) => void onLost.push(receive),
    async stop() {
      ended = true;
      stopPulse();
      thread.ref();
      const exited = new Promise((resolve) => thread.once('exit', resolve));
      thread.postMessage('stop');
      // The thread may sleep until its next renewal.
      await Promise.race([exited, new Promise((resolve) => setTimeout(resolve, 50))]);
      await thread.terminate();
    },
  };
}
