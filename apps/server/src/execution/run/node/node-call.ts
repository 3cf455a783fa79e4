import {
  ExpressionError,
  type ExpressionMode,
  evaluate,
  type Json,
  type JsonObject,
  NodeFailure,
  type NodeTask,
} from '@millrace/engine';
import type { NodeCall, NodeServices } from '@millrace/nodes/runtime';
import type { RunSession } from '../session.ts';
import { createNodeServices } from './node-services.ts';

const NOTHING: JsonObject = Object.freeze({});

/**
 * What a node sees of its run. Most nodes read three or four of these, so everything that costs something is made when
 * it is asked for.
 */
export class TaskCall implements NodeCall {
  readonly #session: RunSession;
  readonly #task: NodeTask;
  #services: NodeServices | undefined;
  readonly params: NodeCall['params'];
  /** Of the node's first start in this round, which a process before this one may have seen. */
  readonly started_at_ms: number;

  constructor(session: RunSession, task: NodeTask, started_at_ms: number) {
    this.#session = session;
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
    return idempotencyKey(this.#session.run_id, this.#task);
  }

  get signal(): AbortSignal {
    return this.#session.signal;
  }

  get services(): NodeServices {
    return (this.#services ??= createNodeServices(this.#session, this.#task));
  }

  /** Nodes take it out of the call, so it must know its task by itself. */
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

/** The same for every repetition of a node in its round, whichever process repeats it. */
export const idempotencyKey = (run_id: string, { node, iteration }: NodeTask): string =>
  `${run_id}:${node.id}:${iteration}`;
