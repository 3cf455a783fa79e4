import type { JsonObject, NodeSteps, NodeTask, StepsHost, WaitDoor } from '@millrace/engine';
import type { CallHost, GrowingText, NodeImplementation, NodeServices } from '@millrace/nodes/runtime';
import type { Executor } from '../executor.ts';
import { idempotencyKey } from './idempotency-key.ts';
import { createNodeServices } from './node-services.ts';
import { requireImplementation } from './require-implementation.ts';
import { TaskSteps } from './steps/task-steps.ts';

/** The run as the nodes that it calls reach it. */
export class RunCallHost implements CallHost {
  readonly #executor: Executor;

  constructor(executor: Executor) {
    this.#executor = executor;
  }

  get signal(): AbortSignal {
    return this.#executor.signal;
  }

  implementationFor(task: NodeTask): NodeImplementation {
    return requireImplementation(this.#executor.nodes, task);
  }

  servicesFor(task: NodeTask): NodeServices {
    return createNodeServices(this.#executor, task);
  }

  idempotencyKeyFor(task: NodeTask): string {
    return idempotencyKey(this.#executor.run_id, task);
  }

  stepsFor(task: NodeTask): StepsHost {
    return new TaskSteps(this.#executor, task);
  }

  began(task: NodeTask, steps: NodeSteps): void {
    this.#executor.steps.waits.began(task, steps);
  }

  ended(task: NodeTask): void {
    this.#executor.steps.waits.ended(task);
  }

  addressFor(task: NodeTask, key: string, door: WaitDoor): string {
    return this.#executor.steps.waits.buildWaitAddress(task, key, door);
  }

  showProgress(task: NodeTask, data: JsonObject): void {
    this.#executor.showProgress(task, data);
  }

  growingText(task: NodeTask, step: string): GrowingText {
    return this.#executor.growingText(task, step);
  }
}
