import {
  type Effect,
  ExpressionError,
  type ExpressionMode,
  evaluate,
  type Json,
  type JsonObject,
  NodeFailure,
  type NodeResult,
  NodeSteps,
  type NodeTask,
  type WaitDoor,
  type WaitRequest,
} from '@millrace/engine';
import {
  createHelpers,
  type Helpers,
  type NodeCall,
  type NodeServices,
  type StepCall,
} from '@millrace/nodes/runtime';
import type { RunExecutor } from '../executor/run-executor.ts';
import { idempotencyKey } from './idempotency-key.ts';
import { implementationOf } from './implementation-of.ts';
import { createNodeServices } from './node-services.ts';
import { TaskSteps } from './steps/task-steps.ts';

const NOTHING: JsonObject = Object.freeze({});

interface Stepping {
  readonly steps: NodeSteps;
  readonly host: TaskSteps;
}

/**
 * What a node sees of its run. Most nodes read three or four of these, so everything that costs something is made when
 * it is asked for.
 */
export class TaskCall implements NodeCall {
  readonly #executor: RunExecutor;
  readonly #task: NodeTask;
  #services: NodeServices | undefined;
  #steps: Stepping | undefined;
  readonly params: NodeCall['params'];
  /** Of the node's first start in this round, which a process before this one may have seen. */
  readonly started_at_ms: number;

  constructor(executor: RunExecutor, task: NodeTask, started_at_ms: number) {
    this.#executor = executor;
    this.#task = task;
    this.params = task.params();
    this.started_at_ms = started_at_ms;
  }

  get inputs() {
    return this.#task.inputs;
  }

  get first_input(): Json {
    return this.#task.inputs[0]?.output ?? NOTHING;
  }

  get run_input(): Json {
    return this.#task.run_input;
  }

  get error(): JsonObject | null {
    const failed = this.#task.error;
    return failed && { ...failed };
  }

  get node(): NodeCall['node'] {
    return this.#task.node;
  }

  get iteration(): string {
    return this.#task.iteration;
  }

  get attempt(): number {
    return this.#task.attempt;
  }

  get idempotency_key(): string {
    return idempotencyKey(this.#executor.run_id, this.#task);
  }

  get signal(): AbortSignal {
    return this.#executor.signal;
  }

  /** Calls the node's function so that it may stop in its waits and be called again. */
  async runSteps(node: () => NodeResult | Promise<NodeResult>): Promise<NodeResult> {
    const task = this.#task;
    const host = new TaskSteps(this.#executor, task);
    const steps = new NodeSteps(host);
    this.#steps = { steps, host };
    this.#executor.steps.waits.began(task, steps);
    try {
      return await steps.run(node);
    } finally {
      this.#executor.steps.waits.ended(task);
    }
  }

  get #stepping(): Stepping {
    if (this.#steps) return this.#steps;
    throw new Error(
      `nodes of the type ${this.#task.node.type} have no steps, for their effect is not "steps"`,
    );
  }

  step<T extends Json>(key: string, effect: Effect, work: (step: StepCall) => T | Promise<T>): Promise<T> {
    const { steps, host } = this.#stepping;
    const { signal } = this;
    return steps.step(key, effect, () =>
      work({
        name: key,
        idempotency_key: host.idempotencyKeyOf(key),
        signal,
        growingText: () => this.#executor.growingText(this.#task, key),
      }),
    );
  }

  wait(key: string, request: WaitRequest) {
    return this.#stepping.steps.wait(key, request);
  }

  addressOf(key: string, door: WaitDoor = 'callback'): string {
    return this.#executor.steps.waits.addressOf(this.#task, key, door);
  }

  progress(data: JsonObject): void {
    this.#executor.showProgress(this.#task, data);
  }

  get services(): NodeServices {
    return (this.#services ??= createNodeServices(this.#executor, this.#task));
  }

  get helpers(): Helpers {
    const { environment } = this.#executor;
    return createHelpers({
      task: this.#task,
      call: () => this,
      implementationOf: (task) => implementationOf(environment, task),
      evaluateFor,
    });
  }

  /** Nodes take it out of the call, so it must know its task by itself. */
  get isBearer(): NodeCall['isBearer'] {
    const task = this.#task;
    return (name) => task.isBearer(name);
  }

  get evaluate(): NodeCall['evaluate'] {
    const task = this.#task;
    return (text, mode) => evaluateFor(task, text, mode);
  }
}

function evaluateFor(task: NodeTask, text: string, mode: ExpressionMode): Json {
  try {
    // Guarantee of the engine: evaluation yields plain JSON data.
    return evaluate(text, mode, task.scope) as Json;
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw new NodeFailure({ kind: 'expression', message: error.message });
  }
}
