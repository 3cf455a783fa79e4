import type {
  Decision,
  Effect,
  Json,
  JsonObject,
  NodeDefinition,
  NodeInput,
  NodeResult,
  NodeTask,
  WaitDoor,
  WaitRequest,
} from '@millrace/engine';
import type { NodeImplementation } from './implement.ts';
import { NodeCall, type StepCall } from './node-call.ts';
import type { NodeServices } from './services.ts';

/** A node that another one calls by itself: a tool of an agent, or an agent below it. */
export interface Helper {
  readonly id: string;
  readonly label: string;
  readonly definition: NodeDefinition;
  /** As stored. */
  readonly data: JsonObject;
}

export interface HelperRequest {
  /** Name of this use within the caller; the names of its steps begin with it. */
  readonly key: string;
  /** Outputs that it sees as those of the nodes before it. */
  readonly inputs: readonly NodeInput[];
  /** Fields that the caller fills in. Their text is data and is never evaluated. */
  readonly given: JsonObject;
}

export interface HelperCall {
  readonly effect: Effect;
  /**
   * Runs the node as a part of its caller. One with steps does them as steps of the caller; any other has to run inside a
   * step with its effect. Throws `NodeFailure`.
   *
   * @param signal ends its work before the run ends; the run's own signal ends it always
   */
  run(signal?: AbortSignal): Promise<NodeResult>;
}

/** Nodes of the workflow that a node may call, which no run schedules. */
export interface Helpers {
  /** Those on its tool handle, in the order of their edges. */
  readonly tools: readonly Helper[];
  /** Labels of the nodes that called each other down to this one, the first one first; its own is the last. */
  readonly chain: readonly string[];
  /** Nodes of this type and label. */
  labelled(type: string, label: string): Helper | undefined;
  prepare(helper: Helper, request: HelperRequest): HelperCall;
}

export interface HelperHost {
  readonly task: NodeTask;
  /** The call of the node whose helpers these are. */
  readonly call: NodeCall;
  readonly implementationFor: (task: NodeTask) => NodeImplementation;
}

/** What a node may call, for the host that runs it. */
export function createHelpers(host: HelperHost, chain: readonly string[] = []): Helpers {
  const { task } = host;
  const own = [...chain, task.node.label];
  return {
    get tools() {
      return task.tools;
    },
    chain: own,
    labelled: (type, label) => task.labelled(label).find((node) => node.definition.type === type),
    prepare(helper, { key, inputs, given }) {
      const node = [...task.tools, ...task.labelled(helper.label)].find(({ id }) => id === helper.id);
      if (!node) throw new Error(`${helper.label} is no node that ${task.node.label} may call`);
      const called = task.calling(node, { inputs, given });
      return {
        effect: called.node.effect,
        run: async (signal) =>
          host.implementationFor(called).run(await callAsHelper(host, { called, key, chain: own, signal })),
      };
    },
  };
}

interface Nested {
  readonly called: NodeTask;
  readonly key: string;
  readonly chain: readonly string[];
  readonly signal: AbortSignal | undefined;
}

async function callAsHelper(host: HelperHost, nested: Nested): Promise<NodeCall> {
  const { call: caller } = host;
  const hasSteps = nested.called.node.effect === 'steps';
  const started_at_ms = hasSteps
    ? await caller.step(`${nested.key}/start`, 'pure', () => caller.services.now())
    : caller.services.now();
  return new HelperNodeCall(host, nested, started_at_ms);
}

/** What a called node sees: its own parameters and inputs, and the steps of its caller. */
class HelperNodeCall extends NodeCall {
  readonly #host: HelperHost;
  readonly #key: string;
  readonly #chain: readonly string[];
  readonly signal: AbortSignal;

  constructor(host: HelperHost, { called, key, chain, signal }: Nested, started_at_ms: number) {
    super(called, called.params(), started_at_ms);
    const { call: caller } = host;
    this.#host = host;
    this.#key = key;
    this.#chain = chain;
    this.signal = signal ? AbortSignal.any([caller.signal, signal]) : caller.signal;
  }

  get #caller(): NodeCall {
    return this.#host.call;
  }

  /** What failed is the matter of the node that calls. */
  override get error(): null {
    return null;
  }

  override get attempt(): number {
    return this.#caller.attempt;
  }

  get idempotency_key(): string {
    return `${this.#caller.idempotency_key}:${this.#key}`;
  }

  get services(): NodeServices {
    return this.#caller.services;
  }

  get helpers(): Helpers {
    return createHelpers({ ...this.#host, task: this.task, call: this }, this.#chain);
  }

  step<T extends Json>(key: string, effect: Effect, work: (step: StepCall) => T | Promise<T>): Promise<T> {
    return this.#caller.step(this.#nested(key), effect, work);
  }

  wait(key: string, request: WaitRequest): Promise<Decision> {
    return this.#caller.wait(this.#nested(key), request);
  }

  addressOf(key: string, door?: WaitDoor): string {
    return this.#caller.addressOf(this.#nested(key), door);
  }

  progress(data: JsonObject): void {
    this.#caller.progress(data);
  }

  #nested(key: string): string {
    return `${this.#key}/${key}`;
  }
}
