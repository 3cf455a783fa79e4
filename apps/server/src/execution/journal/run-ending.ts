import { faultPoint } from '../../core/fault-point.ts';
import { JournalUnavailable } from '../model/errors.ts';
import type { RunBegin } from '../model/run.ts';
import type { Journal } from './journal.ts';
import type { Lane } from './lane/lane.ts';
import { type Ending, endOperation, suspendOperation, wholeRunOperation } from './make-operation.ts';
import { absorbBegin } from './open-run.ts';
import type { OpenRuns } from './open-runs.ts';
import { type JournalFailure, Waiter } from './waiter.ts';

/** How a run leaves this process. */
export type RunEnding = Pick<Journal, 'finish' | 'suspend'>;

const NO_RECORDS: readonly never[] = [];

/** An ending that could not be stored may be tried again with less. */
const isFinal = (failure: JournalFailure | undefined) => !(failure instanceof JournalUnavailable);

export function createRunEnding(runs: OpenRuns, lane: Lane): RunEnding {
  /** One operation, and if it can be, the only one of the run. */
  function end(run: RunBegin, ending: Ending): Promise<void> {
    const { run_id } = run;
    const known = runs.get(run_id);
    const begun = known ? absorbBegin(known) : undefined;
    const waiter = new Waiter((failure) => {
      if (!failure) begun?.waiter?.resolve();
      if (known && isFinal(failure)) runs.remove(run_id, known);
    });
    waiter.durable.catch((failure: JournalFailure) => begun?.waiter?.reject(failure));
    const operation =
      known && !begun
        ? endOperation(run_id, { ending, known, waiter })
        : wholeRunOperation(run, { ending, known, begun, waiter });
    lane.push(operation, true);
    return waiter.durable;
  }

  return {
    async finish(run, final) {
      faultPoint('before_final');
      await end(run, { final, records: final.records ?? NO_RECORDS });
      faultPoint('after_final');
    },
    async suspend(run_id, waits) {
      faultPoint('before_suspend');
      const known = runs.require(run_id);
      const waiter = new Waiter((failure) => {
        if (isFinal(failure)) runs.remove(run_id, known);
      });
      lane.push(suspendOperation(run_id, waits, waiter), true);
      await waiter.durable;
      faultPoint('after_suspend');
    },
  };
}
