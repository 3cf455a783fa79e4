import type { FieldProblem } from '@millrace/contracts';
import { AppError, invalidField } from '../../../core/app-error.ts';
import type { StoredRun } from '../../../execution/model/run.ts';
import { listNewestEnded } from '../../../execution/store/lookups.ts';
import type { Services } from '../../../services.ts';

/** Each is loaded as a whole, so the number is small. */
const MOST_RUNS = 20;

/** Refusals because a run lacks the input of the node; another run may have it. */
const LACKS: ReadonlySet<string> = new Set([
  'not_reached',
  'no_result',
  'unknown_round',
  'masked',
  'input_masked',
]);

function findLack(error: unknown): FieldProblem | undefined {
  if (!(error instanceof AppError) || !Array.isArray(error.detail)) return undefined;
  return error.detail.find(({ type }) => LACKS.has(type));
}

/**
 * Makes the attempt with the run, or with the newest other run of its workflow that has the results which this one lacks.
 *
 * @throws AppError that says what the run itself lacks, and what to do, when no other run has it either
 */
export async function withNewestResults<T>(
  { execution, database }: Services,
  run: StoredRun,
  attempt: (run: StoredRun) => Promise<T>,
): Promise<T> {
  try {
    return await attempt(run);
  } catch (error) {
    const lack = findLack(error);
    if (!lack) throw error;
    const { run_id, workflow_id } = run.begin;
    for (const id of await listNewestEnded(database.sql, workflow_id, MOST_RUNS)) {
      const earlier = id === run_id ? undefined : await execution.journal.load(id);
      if (!earlier) continue;
      try {
        return await attempt(earlier);
      } catch (refusal) {
        if (!findLack(refusal)) throw refusal;
      }
    }
    throw invalidField(
      lack.loc,
      `${lack.msg}. None of the last ${MOST_RUNS} runs has what the node needs either: run the workflow with an input that reaches the node`,
      lack.type,
    );
  }
}
