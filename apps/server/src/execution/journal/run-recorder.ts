import type { RunBegin } from '../model/run.ts';
import type { StepRecord } from '../model/step.ts';
import type { WaitRecord } from '../model/wait.ts';
import { effectKey } from '../store/load.ts';
import { faultPoint } from './fault-point.ts';
import type { Journal } from './journal.ts';
import type { Lanes } from './lane/lanes.ts';
import { barrierOperation, beginOperation, stepOperation, waitOperation } from './make-operation.ts';
import { addFact, createOpenRun } from './open-run.ts';
import type { OpenRuns } from './open-runs.ts';
import { Waiter } from './waiter.ts';

/** What a run writes between its begin and its end. */
export type RunRecorder = Pick<Journal, 'begin' | 'record' | 'barrier' | 'wait'> & {
  /**
   * Lets go of a run without an end. What it has handed in is written first; then, or when that cannot be done, the
   * promise resolves.
   */
  close(run_id: string): Promise<void>;
};

export function createRunRecorder(runs: OpenRuns, lanes: Lanes): RunRecorder {
  function begin(run: RunBegin): { durable: Promise<void> } {
    const state = createOpenRun(lanes.leastLoaded());
    const waiter = new Waiter();
    state.begin = beginOperation(run, state.encoder, waiter);
    runs.add(run.run_id, state);
    state.lane.push(state.begin, true);
    return { durable: waiter.durable };
  }

  function record(run_id: string, fact: StepRecord): void {
    const run = runs.get(run_id);
    // A runner that has lost its run may still finish the node it is in.
    if (!run) return;
    const operation = stepOperation(run_id, fact, run);
    addFact(run, operation);
    const was_effect = run.pending_effects.delete(effectKey(fact));
    if (was_effect) faultPoint('after_effect');
    // The result of an effect is written soon: until then a crash makes its outcome unknown.
    run.lane.push(operation, was_effect);
  }

  async function barrier(run_id: string): Promise<void> {
    const run = runs.require(run_id);
    run.begin = undefined;
    const waiter = new Waiter();
    run.lane.push(barrierOperation(run_id, waiter), true);
    await waiter.durable;
  }

  async function wait(run_id: string, fact: WaitRecord): Promise<void> {
    const run = runs.require(run_id);
    faultPoint('before_wait');
    run.begin = undefined;
    run.has_waits = true;
    const waiter = new Waiter();
    run.lane.push(waitOperation(run_id, fact, { encoder: run.encoder, waiter }), true);
    await waiter.durable;
    faultPoint('after_wait');
  }

  async function close(run_id: string): Promise<void> {
    const run = runs.get(run_id);
    if (!run) return;
    const closed = runs.close(run_id, run);
    run.begin = undefined;
    const waiter = new Waiter();
    run.lane.push(barrierOperation(run_id, waiter), true);
    await waiter.durable.catch(() => undefined);
    run.lane.closeRun(run_id);
    closed();
  }

  return { begin, record, barrier, wait, close };
}
