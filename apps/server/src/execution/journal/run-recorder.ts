import { setImmediate as turn } from 'node:timers/promises';
import { faultPoint } from '../../core/fault-point.ts';
import type { RunBegin } from '../model/run.ts';
import type { StepRecord } from '../model/step.ts';
import type { WaitRecord } from '../model/wait.ts';
import { effectKey } from '../store/load.ts';
import type { Journal } from './journal.ts';
import type { Lane } from './lane/lane.ts';
import { barrierOperation, beginOperation, stepOperation, waitOperation } from './make-operation.ts';
import { addFact, createOpenRun } from './open-run.ts';
import type { OpenRuns } from './open-runs.ts';
import { Waiter } from './waiter.ts';

/** The writes of a run between its begin and its end. */
export type RunRecorder = Pick<Journal, 'begin' | 'record' | 'barrier' | 'wait'> & {
  /**
   * Lets go of a run without an end. The promise resolves when all that it has handed in is written or never will be, however
   * long the database takes: a row that is still in line could otherwise be written under a later claim of this process although
   * the rows before it were not.
   */
  close(run_id: string): Promise<void>;
};

/** Resolves when everything that was handed in of the run is written or never will be. */
function settled(lane: Lane, run_id: string): Promise<void> {
  return new Promise((resolve) => {
    const waiter = new Waiter(() => resolve());
    lane.push(barrierOperation(run_id, waiter), true);
  });
}

export function createRunRecorder(runs: OpenRuns, lane: Lane): RunRecorder {
  function begin(run: RunBegin): { durable: Promise<void> } {
    const state = createOpenRun();
    const waiter = new Waiter();
    state.begin = beginOperation(run, state.encoder, waiter);
    runs.add(run.run_id, state);
    lane.push(state.begin, true);
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
    lane.push(operation, was_effect);
  }

  async function barrier(run_id: string): Promise<void> {
    const run = runs.require(run_id);
    run.begin = undefined;
    const waiter = new Waiter();
    lane.push(barrierOperation(run_id, waiter), true);
    await waiter.durable;
  }

  async function wait(run_id: string, fact: WaitRecord): Promise<void> {
    const run = runs.require(run_id);
    faultPoint('before_wait');
    run.begin = undefined;
    run.has_waits = true;
    const waiter = new Waiter();
    lane.push(waitOperation(run_id, fact, { encoder: run.encoder, waiter }), true);
    await waiter.durable;
    faultPoint('after_wait');
  }

  async function close(run_id: string): Promise<void> {
    const run = runs.get(run_id);
    if (!run) return;
    const closed = runs.close(run_id, run);
    run.begin = undefined;
    await settled(lane, run_id);
    // A caller that was answered just now may still withdraw its intent.
    await turn();
    await settled(lane, run_id);
    lane.closeRun(run_id);
    closed();
  }

  return { begin, record, barrier, wait, close };
}
