import {
  type Decision,
  type Effect,
  type Json,
  type JsonObject,
  type NodeResult,
  NodeSteps,
  type NodeTask,
  type StepsHost,
  type WaitDoor,
  type WaitRequest,
} from '@millrace/engine';
import { createHelpers } from './helper-call.ts';
import type { Helpers } from './helpers.ts';
import type { NodeImplementation } from './implement.ts';
import { type GrowingText, NodeCall, type StepCall } from './node-call.ts';
import type { NodeServices } from './services.ts';

/** Everything that calls of nodes need of the run that they belong to. */
export interface CallHost {
  readonly signal: AbortSignal;
  /** Throws `NodeFailure` for a type that cannot run here. */
  implementationFor(task: NodeTask): NodeImplementation;
  /** Asked once for each call that uses them. */
  servicesFor(task: NodeTask): NodeServices;
  idempotencyKeyFor(task: NodeTask): string;
  stepsFor(task: NodeTask): StepsHost;
  /** The node's function was called: from now on decisions find its waits in these steps. */
  began(task: NodeTask, steps: NodeSteps): void;
  ended(task: NodeTask): void;
  addressFor(task: NodeTask, key: string, door: WaitDoor): string;
  showProgress(task: NodeTask, data: JsonObject): void;
  growingText(task: NodeTask, step: string): GrowingText;
}

/** The call of a node that a run has scheduled. */
export class TaskCall extends NodeCall {
  readonly #host: CallHost;
  #services: NodeServices | undefined;
  #steps: NodeSteps | undefined;
  #releases: (() => Promise<void>)[] | undefined;

  /** @param started_at_ms of the node's first start in this round, which a process before this one may have seen */
  constructor(host: CallHost, task: NodeTask, started_at_ms: number) {
    super(task, task.params(), started_at_ms);
    this.#host = host;
  }

  get idempotency_key(): string {
    return this.#host.idempotencyKeyFor(this.task);
  }

  get signal(): AbortSignal {
    return this.#host.signal;
  }

  /** Calls the node's function so that it may stop in its waits and be called again. */
  async runSteps(node: () => NodeResult | Promise<NodeResult>): Promise<NodeResult> {
    const { task } = this;
    const steps = new NodeSteps(this.#host.stepsFor(task));
    this.#steps = steps;
    this.#host.began(task, steps);
    try {
      return await steps.run(node);
    } finally {
      this.#host.ended(task);
      if (this.#releases) await Promise.allSettled(this.#releases.map((release) => release()));
    }
  }

  whenOver(release: () => Promise<void>): void {
    // Only nodes with steps are given up midway; others have a `finally`.
    this.#requireSteps();
    (this.#releases ??= []).push(release);
  }

  #requireSteps(): NodeSteps {
    if (this.#steps) return this.#steps;
    throw new Error(
      `nodes of the type ${this.task.node.type} have no steps, for their effect is not "steps"`,
    );
  }

  step<T extends Json>(key: string, effect: Effect, work: (step: StepCall) => T | Promise<T>): Promise<T> {
    const { idempotency_key, signal } = this;
    return this.#requireSteps().step(key, effect, () =>
      work({
        name: key,
        idempotency_key: `${idempotency_key}:${key}`,
        signal,
        growingText: () => this.#host.growingText(this.task, key),
      }),
    );
  }

  wait(key: string, request: WaitRequest): Promise<Decision> {
    return this.#requireSteps().wait(key, request);
  }

  buildWaitAddress(key: string, door: WaitDoor = 'callback'): string {
    return this.#host.addressFor(this.task, key, door);
  }

  progress(data: JsonObject): void {
    this.#host.showProgress(this.task, data);
  }

  get services(): NodeServices {
    return (this.#services ??= this.#host.servicesFor(this.task));
  }

  get helpers(): Helpers {
    return createHelpers({
      task: this.task,
      call: this,
      implementationFor: (task) => this.#host.implementationFor(task),
    });
  }
}
