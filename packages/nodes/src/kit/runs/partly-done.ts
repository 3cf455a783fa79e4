import { NodeFailure } from '@millrace/engine';

/**
 * For work of several requests that nothing takes back: a failure says what was done before it.
 *
 * @param words a sentence without its full stop
 */
export const partlyDone =
  (words: string) =>
  (error: unknown): never => {
    if (!(error instanceof NodeFailure)) throw error;
    const message = `${error.failure.message.replace(/\.$/, '')}. ${words}.`;
    throw new NodeFailure({ ...error.failure, message }, { cause: error });
  };
