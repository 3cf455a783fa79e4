import type { ChangeClock } from '../ports/coordination/change-clock.ts';
import { AppError } from './app-error.ts';

/**
 * Makes sure that nothing is answered from memory which another process has changed before: a workflow that was saved, a
 * share, session or token that was taken back. Once per request, before the first look at anything that is kept.
 *
 * @throws AppError `unavailable` when the database cannot be asked
 */
export function catchUp({ changes }: { readonly changes: ChangeClock }): undefined | Promise<void> {
  const looked = changes.current();
  if (typeof looked === 'number') return undefined;
  return looked.then(
    () => undefined,
    (cause: unknown) => {
      const headers = { 'Retry-After': '1' };
      throw new AppError('unavailable', 'The database cannot be reached; try again', { headers, cause });
    },
  );
}
