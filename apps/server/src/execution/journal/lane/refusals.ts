import type { Logger } from 'pino';
import { RecordRefused } from '../../model/errors.ts';
import type { Operation } from '../operations.ts';
import type { Counters } from './counters.ts';

/** Records that cannot be stored. What their runs hand in behind them would build on a gap and is refused too. */
export interface Refusals {
  refuse(operation: Operation, error: unknown): void;
  /** Why nothing more of the run can be stored, if something of it was refused. */
  of(run_id: string): RecordRefused | undefined;
  forget(run_id: string): void;
}

export function createRefusals({
  counters,
  log,
}: {
  readonly counters: Counters;
  readonly log: Logger;
}): Refusals {
  const refused = new Map<string, RecordRefused>();
  return {
    refuse(operation, error) {
      const failure = new RecordRefused(operation.run_id, error);
      counters.refused += 1;
      log.error({ err: error, run_id: operation.run_id, kind: operation.kind }, failure.message);
      // A caller that waits stops by itself.
      if (operation.waiter) operation.waiter.reject(failure);
      else if (operation.kind === 'step') refused.set(operation.run_id, failure);
    },
    of: (run_id) => refused.get(run_id),
    forget: (run_id) => void refused.delete(run_id),
  };
}
