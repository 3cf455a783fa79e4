import type { Decision, Effect, Json, JsonObject, NodeTask, WaitDoor, WaitRequest } from '@millrace/engine';
import type { Helpers } from './helpers.ts';
import type { NodeImplementation } from './implement.ts';
import { NodeCall, type StepCall } from './node-call.ts';
import type { NodeServices } from './services.ts';

export interface HelperHost {
  readonly task: NodeTask;
  /** The call of the node whose helpers these are. */
  readonly call: NodeCall;
  readonly implementationFor: (task: NodeTask) => NodeImplementation;
}

/** The helpers that a node may call, for the host that runs it. */
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
        async run(signal) {
          const call = await callAsHelper(host, { called, key, chain: own, signal });
          try {
            return await host.implementationFor(called).run(call);
          } finally {
            await call.release();
          }
        },
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

async function callAsHelper(host: HelperHost, nested: Nested): Promise<HelperNodeCall> {
  const { call: caller } = host;
  const hasSteps = nested.called.node.effect === 'steps';
  const started_at_ms = hasSteps
    ? await caller.step(`${nested.key}/start`, 'pure', () => caller.services.now())
    : caller.services.now();
  return new HelperNodeCall(host, nested, started_at_ms);
}

/** The call as a called node sees it: its own parameters and inputs, and the steps of its caller. */
class HelperNodeCall extends NodeCall {
  readonly #host: HelperHost;
  readonly #key: string;
  readonly #chain: readonly string[];
  #releases: (() => Promise<void>)[] | undefined;
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

  override get callers(): readonly NodeCall[] {
    return [...this.#caller.callers, this.#caller];
  }

  /** The error is the matter of the node that calls. */
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

  buildWaitAddress(key: string, door?: WaitDoor): string {
    return this.#caller.buildWaitAddress(this.#nested(key), door);
  }

  progress(data: JsonObject): void {
    this.#caller.progress(data);
  }

  /** If this call is given up in a wait, the caller releases it. */
  whenOver(release: () => Promise<void>): void {
    if (!this.#releases) {
      this.#releases = [];
      this.#caller.whenOver(() => this.release());
    }
    this.#releases.push(release);
  }

  async release(): Promise<void> {
    if (this.#releases) await Promise.allSettled(this.#releases.map((release) => release()));
  }

  #nested(key: string): string {
    return `${this.#key}/${key}`;
  }
}
