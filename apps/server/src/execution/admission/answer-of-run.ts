import type { RunAnswer } from '../model/run.ts';
import type { RunKeeping } from '../run/run-keeping.ts';
import { sleep } from '../run/sleep.ts';
import { storedAnswer, storedEarlyAnswer } from '../run/stored-answer.ts';
import { clientLeft, unlessLeft } from './client-left.ts';

const FIRST_LOOK_MS = 25;
const MAX_LOOK_MS = 500;
const LONGEST_WAIT_MS = 10 * 60_000;

/**
 * The answer of a run that something else has started; waits for it while it runs, here or on another process.
 *
 * @param until `answered`: the answer that an Output node gave before the end, where one did
 * @returns undefined when there is no such run; `running` after ten minutes
 * @throws the reason of `left` once it aborts
 */
export async function answerOfRun(
  { journal, live }: Pick<RunKeeping, 'journal' | 'live'>,
  run_id: string,
  { left, until = 'answered' }: { left: AbortSignal; until?: 'answered' | 'finished' },
): Promise<RunAnswer | 'running' | undefined> {
  let waited = 0;
  for (let pause = FIRST_LOOK_MS; waited < LONGEST_WAIT_MS; pause = Math.min(pause * 2, MAX_LOOK_MS)) {
    const stored = await journal.load(run_id);
    if (!stored) return undefined;
    const answer = (until === 'answered' ? storedEarlyAnswer(stored) : undefined) ?? storedAnswer(stored);
    // Guarantee: only calls and triggers start such runs, and theirs end through `finish`, which writes the statuses of answers.
    if (answer) return answer as RunAnswer;
    const local = live.get(run_id);
    if (local) return unlessLeft(local[until], left);
    if ((await sleep(pause, left)) === 'cancelled') throw clientLeft();
    waited += pause;
  }
  return 'running';
}
