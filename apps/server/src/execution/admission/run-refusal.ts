import { AppError } from '../../core/app-error.ts';
import type { Journal } from '../journal/journal.ts';
import { JournalUnavailable, OwnershipLost } from '../model/errors.ts';
import { stopsTheRun } from '../run/start/run-request.ts';

/** The answer to the caller of a run that this process cannot finish. */
export function runRefusal(error: unknown): unknown {
  if (error instanceof JournalUnavailable) {
    const headers = { 'Retry-After': '1' };
    return new AppError('unavailable', 'The run could not be stored; try again', { headers, cause: error });
  }
  if (stopsTheRun(error)) {
    const message = 'The run continues in the background; its result will be in the history';
    return new AppError('unavailable', message, { headers: { 'Retry-After': '5' } });
  }
  return error;
}

/** The same, but 410 for a run that was deleted together with its workflow: it does not continue on another process. */
export async function goneOrRefusal(journal: Pick<Journal, 'look'>, error: unknown): Promise<unknown> {
  if (error instanceof OwnershipLost) {
    const is_stored = await journal.look(error.run_id, 'finished').then(Boolean, () => true);
    if (!is_stored) return new AppError('gone', 'The run was deleted before its end');
  }
  return runRefusal(error);
}
