import type { FieldProblem } from '@millrace/contracts';
import { AppError, invalidField } from '../../../core/app-error.ts';
import type { StoredRun } from '../../../execution/model/run.ts';
import { newestEndedOf } from '../../../execution/store/lookups.ts';
import type { Services } from '../../../services.ts';

/** Each is read as a whole, so there are few. */
const MOST_RUNS = 20;

/** Refusals that say that a run does not have what the node would be given; another run may. */
const LACKS: ReadonlySet<string> = new Set([
  'not_reached',
  'no_result',
  'unknown_round',
  'masked',
  'input_masked',
]);

function lackOf(error: unknown): FieldProblem | undefined {
  if (!(error instanceof AppError) || !Array.isArray(error.detail)) return undefined;
  return error.detail.find(({ type }) => LACKS.has(type));
}

/**
 * Begins with the run, or where it lacks the results for that with the newest run of its workflow that has them.
 *
 * @throws AppError what was wrong with the run itself, and what to do, where none has them
 */
export async function withNewestResults<T>(
  { execution, database }: Services,
  run: StoredRun,
  begin: (run: StoredRun) => Promise<T>,
): Promise<T> {
  try {
    return await begin(run);
  } catch (error) {
    const lack = lackOf(error);
    if (!lack) throw error;
    const { run_id, workflow_id } = run.begin;
    for (const id of await newestEndedOf(database.sql, workflow_id, MOST_RUNS)) {
      const earlier = id === run_id ? undefined : await execution.environment.journal.load(id);
      if (!earlier) continue;
      try {
        return await begin(earlier);
      } catch (refusal) {
        if (!lackOf(refusal)) throw refusal;
      }
    }
    throw invalidField(
      lack.loc,
      `${lack.msg}. No other of the last ${MOST_RUNS} runs has what it needs either: run the workflow with an input that leads to it`,
      lack.type,
    );
  }
}
