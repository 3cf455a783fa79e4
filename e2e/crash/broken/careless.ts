// The product with careless triggers, for the negative control: sources are acknowledged before anything is stored, and now and
// then a run is started without claiming its cause.
import { setTimeout as sleep } from 'node:timers/promises';
import { newOrderedId } from '../../../apps/server/src/core/ids.ts';
import type { Firing } from '../../../apps/server/src/execution/model/queue.ts';
import { serveBroken } from './serve-broken.ts';

const LATE_MS = 400;
const EVERY = 7;

await serveBroken({
  fenced: true,
  change(ownership) {
    let fired = 0;
    async function storeLate(firing: Firing, is_doubled: boolean): Promise<void> {
      await sleep(LATE_MS);
      await ownership.fire(firing);
      if (is_doubled) await ownership.enqueue({ ...firing.run, run_id: newOrderedId(Date.now()) });
    }
    return {
      fire(firing) {
        fired += 1;
        storeLate(firing, fired % EVERY === 0).catch(() => undefined);
        return Promise.resolve({ kind: 'queued' });
      },
    };
  },
});
