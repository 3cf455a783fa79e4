import { unlessLeft } from '../admission/client-left.ts';
import type { Milestone, StoredRun } from '../model/run.ts';
import { isOpenReview } from '../model/wait.ts';
import type { LiveRun } from './live-runs.ts';
import type { RunKeeping } from './run-keeping.ts';
import { sleep } from './sleep.ts';
import { storedEarlyAnswer } from './stored-answer.ts';

const FIRST_LOOK_MS = 25;
const MAX_LOOK_MS = 500;

/** `here`: this process executes the run, which tells the rest itself. `running`: the time is over before the milestone. */
export type AwaitedRun =
  | { readonly kind: 'here'; readonly run: LiveRun }
  | { readonly kind: 'stored'; readonly run: StoredRun }
  | { readonly kind: 'gone' }
  | { readonly kind: 'running' }
  | { readonly kind: 'left' };

export interface WaitOptions {
  readonly until: Milestone;
  /** Ends the wait, not the run. */
  readonly left: AbortSignal;
  /** Facts that are known already; only later ones count as news. */
  readonly known?: number;
  readonly longest_ms?: number;
}

function isReached(run: StoredRun, until: Milestone): boolean {
  if (until === 'moved' || run.final) return true;
  if (run.state === 'waiting') return until !== 'reviewed' || run.waits.some(isOpenReview);
  return until === 'answered' && storedEarlyAnswer(run) !== undefined;
}

/**
 * Waits for a run that something else has started, in this process or another: until it ends or pauses, has answered, or
 * has moved on. For a run elsewhere only the state is read until then, because processes do not tell each other when runs end.
 */
export async function waitForRun(
  { journal, live }: Pick<RunKeeping, 'journal' | 'live'>,
  run_id: string,
  { until, left, known = 0, longest_ms = Number.POSITIVE_INFINITY }: WaitOptions,
): Promise<AwaitedRun> {
  let seen = known;
  let waited = 0;
  for (let pause = FIRST_LOOK_MS; waited < longest_ms; pause = Math.min(pause * 2, MAX_LOOK_MS)) {
    if (left.aborted) return { kind: 'left' };
    const here = live.get(run_id);
    // An answer that the run gave before it was resumed here is in the store alone.
    if (here && until !== 'answered') return { kind: 'here', run: here };
    const look = await journal.look(run_id, until);
    if (look && (look.rests || look.facts > seen)) {
      const run = await journal.load(run_id);
      if (run && isReached(run, until)) return { kind: 'stored', run };
      seen = look.facts;
    }
    const run = live.get(run_id);
    if (run) return { kind: 'here', run };
    if (!look) return { kind: 'gone' };
    await sleep(pause, left);
    waited += pause;
  }
  return { kind: 'running' };
}

/** The same for one who needs what is stored: awaits a run of this process as well, and one that it hands over. */
export async function waitForStoredRun(
  needs: Pick<RunKeeping, 'journal' | 'live'>,
  run_id: string,
  options: WaitOptions & { readonly until: 'finished' | 'reviewed' },
): Promise<Exclude<AwaitedRun, { kind: 'here' }>> {
  for (;;) {
    const awaited = await waitForRun(needs, run_id, options);
    if (awaited.kind !== 'here') return awaited;
    await unlessLeft(awaited.run.finished, options.left).catch(() => undefined);
  }
}
