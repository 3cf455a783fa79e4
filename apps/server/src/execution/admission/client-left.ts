import { AppError } from '../../core/app-error.ts';

/** Aborted when the client is gone before its answer; made only where a call has to wait. */
export type ClientLeft = () => AbortSignal;

export const clientLeft = () => new AppError('conflict', 'The client disconnected before the run ended');

/** Rejects as soon as the client is gone; what was waited for is not stopped by that. */
export function unlessLeft<T>(wanted: Promise<T>, left: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onLeft = () => reject(clientLeft());
    const settle = () => left.removeEventListener('abort', onLeft);
    if (left.aborted) onLeft();
    else left.addEventListener('abort', onLeft, { once: true });
    wanted.then(resolve, reject).finally(settle);
  });
}
