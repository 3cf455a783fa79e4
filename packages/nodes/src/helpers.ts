import type {
  Effect,
  Json,
  JsonObject,
  NodeDefinition,
  NodeInput,
  NodeResult,
  NodeTask,
} from '@millrace/engine';
import type { NodeCall, NodeImplementation } from './implement.ts';

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
  readonly call: () => NodeCall;
  readonly implementationOf: (task: NodeTask) => NodeImplementation;
  /** Evaluates as nodes of the run do. */
  readonly evaluateFor: (task: NodeTask, ...args: Parameters<NodeCall['evaluate']>) => Json;
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
          host.implementationOf(called).run(await calledWith(host, { called, key, chain: own, signal })),
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

/** What the called node sees: its own parameters and inputs, and the steps of its caller. */
async function calledWith(host: HelperHost, { called, key, chain, signal }: Nested): Promise<NodeCall> {
  const parent = host.call();
  const nested = (name: string): string => `${key}/${name}`;
  const hasSteps = called.node.effect === 'steps';
  const started_at_ms = hasSteps
    ? await parent.step(nested('start'), 'pure', () => parent.services.now())
    : parent.services.now();
  const call: NodeCall = {
    params: called.params(),
    inputs: called.inputs,
    first_input: called.inputs[0]?.output ?? {},
    run_input: called.run_input,
    error: null,
    node: called.node,
    iteration: called.iteration,
    attempt: parent.attempt,
    started_at_ms,
    idempotency_key: `${parent.idempotency_key}:${key}`,
    signal: signal ? AbortSignal.any([parent.signal, signal]) : parent.signal,
    evaluate: (text, mode) => host.evaluateFor(called, text, mode),
    isBearer: (name) => called.isBearer(name),
    services: parent.services,
    step: (name, effect, work) => parent.step(nested(name), effect, work),
    wait: (name, request) => parent.wait(nested(name), request),
    addressOf: (name, door) => parent.addressOf(nested(name), door),
    progress: (data) => parent.progress(data),
    get helpers() {
      return createHelpers({ ...host, task: called, call: () => call }, chain);
    },
  };
  return call;
}
