import {
  type Decision,
  type Effect,
  ExpressionError,
  type ExpressionMode,
  evaluate,
  type Json,
  type JsonObject,
  NodeFailure,
  type NodeInput,
  type NodeTask,
  type WaitDoor,
  type WaitRequest,
} from '@millrace/engine';
import type { Helpers } from './helpers.ts';
import type { NodeServices } from './services.ts';

/** Everything that the work of a step may use beside what its node has. */
export interface StepCall {
  /** Name of the step within the run's node, with the names of the nodes that called this one. */
  readonly name: string;
  /** The same for every repetition of this step, also on another process. */
  readonly idempotency_key: string;
  readonly signal: AbortSignal;
  /** A text of the step, shown while it grows to those who follow the run now and ask for it; not kept. */
  growingText(): GrowingText;
}

/** The text that a model writes, piece by piece. Some readers miss pieces; the result of the node has the whole text. */
export interface GrowingText {
  add(piece: string): void;
  /** The text that was added is void; it begins anew. */
  restart(): void;
  /** Nothing comes any more. */
  end(): void;
}

/**
 * For nodes of the effect `steps`, whose function may be called again from its top at any time: after a crash, after a wait, by
 * another process. What is recorded then returns at once. So the function does nothing outside of its steps and waits, takes
 * time and randomness from a step, and gives its steps the same names in every call. Other nodes have no steps.
 */
export interface Steps {
  /**
   * Does the work once and records its result, or its `NodeFailure`, which the next attempt of the node tries again. Work with
   * the effect `steps` does nothing outside of further steps and waits; only its result is recorded under this key.
   */
  step<T extends Json>(key: string, effect: Effect, work: (step: StepCall) => T | Promise<T>): Promise<T>;
  /** Waits for a decision, for as long as it takes: the run leaves memory when nothing else of it is under way. */
  wait(key: string, request: WaitRequest): Promise<Decision>;
  /**
   * Address that decides the wait of that name, for a wait with `has_address`: of a callback one that takes one HTTP call,
   * of a review a page for a person, of an upload one that takes one file.
   */
  buildWaitAddress(key: string, door?: WaitDoor): string;
  /** Shown to those who follow the run now; not kept. */
  progress(data: JsonObject): void;
  /** `release` runs when the function has ended or is given up in a wait, possibly twice. */
  whenOver(release: () => Promise<void>): void;
}

const NOTHING: JsonObject = Object.freeze({});

/**
 * Everything a node sees of the run that calls it. Most nodes read three or four of these, so everything that costs
 * something is made when it is asked for. That is why a call cannot be copied: a spread would lose what getters give. As a
 * class it makes the compiler and the linter refuse that, and an object that is not built by production's constructor.
 */
export abstract class NodeCall<P = Readonly<Record<string, unknown>>> implements Steps {
  protected readonly task: NodeTask;
  /** Evaluated and parsed by the definition's `params` schema. */
  readonly params: P;
  /** Epoch milliseconds of the node's first start in this round; a restart after a crash keeps it. */
  readonly started_at_ms: number;

  constructor(task: NodeTask, params: P, started_at_ms: number) {
    this.task = task;
    this.params = params;
    this.started_at_ms = started_at_ms;
  }

  /** The same for every repetition of this node in this round, also on another process. */
  abstract get idempotency_key(): string;
  abstract get signal(): AbortSignal;
  abstract get services(): NodeServices;
  /** Nodes that it may call by itself. */
  abstract get helpers(): Helpers;
  abstract step<T extends Json>(
    key: string,
    effect: Effect,
    work: (step: StepCall) => T | Promise<T>,
  ): Promise<T>;
  abstract wait(key: string, request: WaitRequest): Promise<Decision>;
  abstract buildWaitAddress(key: string, door?: WaitDoor): string;
  abstract progress(data: JsonObject): void;
  abstract whenOver(release: () => Promise<void>): void;

  /** Calls of the nodes that called each other down to this one, the first one first. */
  get callers(): readonly NodeCall[] {
    return [];
  }

  /** In edge order. */
  get inputs(): readonly NodeInput[] {
    return this.task.inputs;
  }

  /** Output of the first input; `{}` when there is none. */
  get first_input(): Json {
    return this.task.inputs[0]?.output ?? NOTHING;
  }

  /** Nodes from which a path leads to this one, whether they ran or not. */
  get preceding(): NodeTask['preceding'] {
    return this.task.preceding;
  }

  /** The input that the run was started with; null when it was started with nothing. */
  get run_input(): Json {
    return this.task.run_input;
  }

  /** The first failure of the run for error handlers, as `{node_id, node_label, node_type, message}`; null for others. */
  get error(): JsonObject | null {
    const failed = this.task.error;
    return failed && { ...failed };
  }

  get node(): {
    readonly id: string;
    readonly label: string;
    readonly type: string;
    readonly data: JsonObject;
  } {
    return this.task.node;
  }

  /** Rounds of the surrounding loops as in run events: `3`, `2.5`; empty outside of loops. */
  get iteration(): string {
    return this.task.iteration;
  }

  /** 1 for the first attempt. */
  get attempt(): number {
    return this.task.attempt;
  }

  /** Whether `$credentials.<name>` is a bearer token. Nodes take it out of the call, so it must know its task by itself. */
  get isBearer(): (name: string) => boolean {
    const { task } = this;
    return (name) => task.isBearer(name);
  }

  /** Evaluates text in the node's own scope, for parameters that are read part by part. Fails with kind `expression`. */
  get evaluate(): (text: string, mode: ExpressionMode) => Json {
    const { task } = this;
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
