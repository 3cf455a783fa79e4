import { startPolling } from '../../core/polling.ts';
import { foldEnds } from '../../execution/store/analytics/fold.ts';
import { rebuildStep } from '../../execution/store/analytics/rebuild.ts';
import type { Services } from '../../services.ts';

const EVERY_MS = 5_000;
/** Slices that one pass counts again at most, so that other statements come between. */
const STEPS_PER_PASS = 200;

/**
 * One pass: folds the ends of runs into the snapshots and then does the requested rebuilds.
 *
 * @param signal ends the pass after the slice that is under way; the next pass finds what is left
 */
export async function keepSnapshots(
  { database }: Pick<Services, 'database'>,
  signal?: AbortSignal,
): Promise<void> {
  await foldEnds(database.sql, signal);
  for (let step = 0; step < STEPS_PER_PASS; step++) {
    if (signal?.aborted || !(await rebuildStep(database.sql))) return;
  }
}

/** Repeats the pass until the returned function is called, which also waits for the slice under way. */
export function startSnapshots(services: Pick<Services, 'database' | 'log'>): () => Promise<void> {
  return startPolling({
    every_ms: EVERY_MS,
    work: (signal) => keepSnapshots(services, signal),
    onError: (error) =>
      services.log.warn({ err: error }, 'the analytics could not be brought up to date; the next pass will'),
  });
}
