import {
  type Decision,
  type Failure,
  type Json,
  NodeFailure,
  type NodeTask,
  type StepEffect,
  type StepsHost,
  type StoredStep,
  type WaitRequest,
} from '@millrace/engine';
import { faultPoint } from '../../../../core/fault-point.ts';
import type { IntentRecord } from '../../../model/step.ts';
import type { Executor } from '../../executor.ts';
import { stopsTheRun } from '../../start/run-request.ts';
import { NEVER, passBarrier, passReadBarrier } from '../effect-barrier.ts';
import { idempotencyKey } from '../idempotency-key.ts';
import { toWaitPlace } from './run-waits.ts';

const unknownOutcome = (label: string, key: string) =>
  new NodeFailure({
    kind: 'outcome_unknown',
    message: `The step "${key}" of ${label} was interrupted by a crash, and whether it took effect is unknown; it was not repeated`,
    final: true,
  });

/** The steps and waits of one call of a node's function, with the run's journal behind them. */
export class TaskSteps implements StepsHost {
  readonly #executor: Executor;
  readonly #task: NodeTask;
  readonly attempt: number;

  constructor(executor: Executor, task: NodeTask) {
    this.#executor = executor;
    this.#task = task;
    this.attempt = task.attempt;
  }

  recorded(key: string): readonly StoredStep[] {
    return this.#executor.steps.book.listSteps(toWaitPlace(this.#task, key));
  }

  decided(key: string): Decision | undefined {
    return this.#executor.steps.book.findDecision(toWaitPlace(this.#task, key));
  }

  whenIdle(look: () => void): void {
    setImmediate(look);
  }

  /** The key that a step sends with its effect, as its call has it. */
  #buildIdempotencyKey(key: string): string {
    return `${idempotencyKey(this.#executor.run_id, this.#task)}:${key}`;
  }

  async run(key: string, effect: StepEffect, work: () => Json | Promise<Json>): Promise<Json> {
    // Lets the loop hand in everything that happened before this step.
    await Promise.resolve();
    try {
      this.#executor.open();
      const isUnknown = await this.#begin(key, effect);
      return await this.#record(key, effect, isUnknown ? this.#refuse(key) : work);
    } catch (error) {
      return this.#letGo(error);
    }
  }

  async open(key: string, wait: WaitRequest): Promise<void> {
    await Promise.resolve();
    try {
      this.#executor.open();
      await this.#executor.steps.waits.open(this.#task, key, wait);
    } catch (error) {
      await this.#letGo(error);
    }
  }

  #refuse(key: string): () => never {
    return () => {
      throw unknownOutcome(this.#task.node.label, key);
    };
  }

  /** Passes the barrier of the effect. True when it may have happened before, and must not happen twice. */
  async #begin(key: string, effect: StepEffect): Promise<boolean> {
    const executor = this.#executor;
    if (effect === 'pure') return false;
    if (effect === 'read') {
      await passReadBarrier(executor);
      executor.noteStart(this.#createIntent(key, effect));
      return false;
    }
    return (await passBarrier(executor, this.#createIntent(key, effect))).is_refused;
  }

  #createIntent(key: string, effect: StepEffect): IntentRecord {
    const { node, iteration, started_at_ms } = this.#task;
    const idempotency_key = this.#buildIdempotencyKey(key);
    return {
      node_id: node.id,
      iteration,
      key,
      attempt: this.attempt,
      effect,
      idempotency_key,
      started_at_ms,
    };
  }

  /** The outcome of the work is handed to the journal before the node receives it, so nothing that follows can overtake it. */
  async #record(key: string, effect: StepEffect, work: () => Json | Promise<Json>): Promise<Json> {
    const executor = this.#executor;
    const started_at_ms = executor.now();
    const fact = { key, effect, started_at_ms };
    try {
      // The result of a step is what the next call of the node finds: JSON.
      const output = (await work()) ?? null;
      if (executor.signal.aborted) return await NEVER;
      executor.recordStep(this.#task, { ...fact, status: 'success', output, ended_at_ms: executor.now() });
      faultPoint('after_step');
      return output;
    } catch (error) {
      if (stopsTheRun(error) || executor.signal.aborted) throw error;
      const failure = this.#toFailure(error);
      const output = { error: failure.message };
      const ended_at_ms = executor.now();
      executor.recordStep(this.#task, { ...fact, status: 'error', output, failure, ended_at_ms });
      throw new NodeFailure(failure, { cause: error });
    }
  }

  #toFailure(error: unknown): Failure {
    if (error instanceof NodeFailure) return error.failure;
    this.#executor.crashed(error, this.#task);
    return { kind: 'internal', message: `${this.#task.node.label} failed because of an internal error` };
  }

  #letGo(error: unknown): Promise<never> {
    if (!stopsTheRun(error)) throw error;
    this.#executor.fail(error);
    return NEVER;
  }
}
