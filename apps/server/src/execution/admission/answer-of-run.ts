import type { RunAnswer } from '../model/run.ts';
import type { RunKeeping } from '../run/run-keeping.ts';
import { storedAnswer, storedEarlyAnswer } from '../run/stored-answer.ts';
import { waitForRun } from '../run/wait-for-run.ts';
import { clientLeft, unlessLeft } from './client-left.ts';
import { goneOrRefusal } from './run-refusal.ts';

const LONGEST_WAIT_MS = 10 * 60_000;

/**
 * The answer of a run that something else has started; waits for it while it runs, here or on another process.
 *
 * @param until `answered`: the answer that an Output node gave before the end, where one did
 * @returns undefined when there is no such run; `running` after ten minutes
 * @throws AppError once `left` aborts, or when this process cannot finish the run
 */
export async function answerOfRun(
  needs: Pick<RunKeeping, 'journal' | 'live'>,
  run_id: string,
  { left, until = 'answered' }: { left: AbortSignal; until?: 'answered' | 'finished' },
): Promise<RunAnswer | 'running' | undefined> {
  const awaited = await waitForRun(needs, run_id, { until, left, longest_ms: LONGEST_WAIT_MS });
  if (awaited.kind === 'left') throw clientLeft();
  if (awaited.kind === 'running') return 'running';
  if (awaited.kind === 'gone') return undefined;
  if (awaited.kind === 'here')
    return unlessLeft(awaited.run[until], left).catch(async (error: unknown) => {
      throw await goneOrRefusal(needs.journal, error);
    });
  const early = until === 'answered' ? storedEarlyAnswer(awaited.run) : undefined;
  // Guarantee: only calls and triggers start such runs, and theirs end through `finish`, which writes the statuses of answers.
  return early ?? (storedAnswer(awaited.run) as RunAnswer);
}
