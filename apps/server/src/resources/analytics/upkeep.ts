import type { Services } from '../../execution/context.ts';
import { foldEnds } from '../../execution/store/analytics/fold.ts';
import { rebuildStep } from '../../execution/store/analytics/rebuild.ts';

const EVERY_MS = 5_000;
/** Slices that one pass counts again at most, so that other statements come between. */
const STEPS_PER_PASS = 200;

/** One pass: folds the ends of runs into the snapshots and then does the requested rebuilds. */
export async function keepSnapshots({ database }: Pick<Services, 'database'>): Promise<void> {
  await foldEnds(database.sql);
  for (let step = 0; step < STEPS_PER_PASS; step++) {
    if (!(await rebuildStep(database.sql))) return;
  }
}

/** Repeats the pass every few seconds, never twice at once. The returned function ends it. */
export function startSnapshots(services: Pick<Services, 'database' | 'log'>): () => void {
  let isBusy = false;
  const pass = async () => {
    if (isBusy) return;
    isBusy = true;
    try {
      await keepSnapshots(services);
    } catch (error) {
      services.log.warn({ err: error }, 'the analytics could not be brought up to date; the next pass will');
    } finally {
      isBusy = false;
    }
  };
  const timer = setInterval(() => void pass(), EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
