import type { Json, JsonObject } from '../json.ts';
import type { Effect, StepEffect } from '../node-type/define-node.ts';
import { NodeFailure, type NodeResult, type Suspension, type WaitKind } from './node-run.ts';
import type { StepFinished } from './record/events.ts';

/** The subject of a node's wait. */
export interface WaitRequest {
  readonly kind: WaitKind;
  /** Epoch milliseconds at which time decides `timed_out`; absent: never. */
  readonly due_at?: number | undefined;
  /** The payload that the node shows while it waits. */
  readonly payload: JsonObject;
  /** Words that a decision may have; others are refused. `timed_out` is for the clock alone. */
  readonly decisions: readonly string[];
  /** Run whose end decides, for the kind `child`. */
  readonly child_run_id?: string | undefined;
  /** Anyone who has the capability address of the wait may decide it. */
  readonly has_address?: boolean | undefined;
}

/** How a wait ended: the word usually names the port, the data is what came with it. */
export interface Decision {
  readonly decision: string;
  readonly data: Json;
  /** Epoch milliseconds. */
  readonly decided_at_ms: number;
}

/** The part of a recorded step that a repeated node needs. */
export type StoredStep = Pick<StepFinished, 'key' | 'status' | 'output' | 'failure' | 'attempt'>;

/** Everything that the steps of one node in one round need from outside. */
export interface StepsHost {
  /** The recorded facts of that key in the order in which they came to be. */
  recorded(key: string): readonly StoredStep[];
  decided(key: string): Decision | undefined;
  /** Does the work behind the barrier of its effect, and records what came of it before it settles. */
  run(key: string, effect: StepEffect, work: () => Json | Promise<Json>): Promise<Json>;
  /** Stores the wait; settles when it is durable. */
  open(key: string, wait: WaitRequest): Promise<void>;
  /** Calls back when everything that can continue now has done so. */
  whenIdle(look: () => void): void;
  /** Attempt of the node. */
  readonly attempt: number;
}

interface OpenWait {
  readonly request: WaitRequest;
  readonly resolve: (decision: Decision) => void;
}

const MAX_KEY = 200;
/** A promise of a node that was given up: nothing may follow from it. */
const NEVER: Promise<never> = new Promise(() => undefined);

function invalid(message: string): NodeFailure {
  return new NodeFailure({ kind: 'internal', message, final: true });
}

/**
 * Steps and waits of one node in one round. The node's function may be called again at any time, by another process too: what
 * is recorded returns at once, so the function gets to where it was before. It counts as waiting when at least one of its
 * waits is open and no step is under way; then its promise is given up and its place in memory with it.
 */
export class NodeSteps {
  readonly #host: StepsHost;
  readonly #keys = new Set<string>();
  readonly #open = new Map<string, OpenWait>();
  #under_way = 0;
  #is_looking = false;
  #is_over = false;
  #first_payload: JsonObject | undefined;
  #suspend: ((suspension: Suspension) => void) | undefined;

  constructor(host: StepsHost) {
    this.#host = host;
  }

  /** Runs the node's function to its result or to a point where it can only wait. */
  async run(node: () => NodeResult | Promise<NodeResult>): Promise<NodeResult> {
    const suspended = new Promise<NodeResult>((resolve) => {
      this.#suspend = (suspension) => resolve({ suspension });
    });
    try {
      return await Promise.race([node(), suspended]);
    } finally {
      this.#is_over = true;
    }
  }

  /**
   * The step's result; recorded, so the work is done once however often the node's function is called. Work with the effect
   * `steps` is made of further steps and waits; once its result is recorded, later calls do not go through them again.
   */
  async step<T extends Json>(key: string, effect: Effect, work: () => T | Promise<T>): Promise<T> {
    if (this.#is_over) return NEVER;
    this.#claim(key);
    const recorded = this.#standing(key);
    if (recorded?.failure) throw new NodeFailure(recorded.failure);
    // Guarantee: what is recorded under the key is what the same work returned, as JSON.
    if (recorded) return recorded.output as T;
    if (effect === 'steps') return this.#recordEnd(key, await work());
    return this.during(this.#host.run(key, effect, work) as Promise<T>);
  }

  async #recordEnd<T extends Json>(key: string, result: T): Promise<T> {
    if (this.#is_over) return NEVER;
    return this.during(this.#host.run(key, 'pure', () => result) as Promise<T>);
  }

  /** How the wait was decided. */
  async wait(key: string, request: WaitRequest): Promise<Decision> {
    if (this.#is_over) return NEVER;
    this.#claim(key);
    this.#first_payload ??= request.payload;
    const decided = this.#host.decided(key);
    if (decided) return decided;
    await this.during(this.#host.open(key, request));
    // It may have been decided between its storing and now.
    const early = this.#host.decided(key);
    if (early) return early;
    return new Promise((resolve) => {
      this.#open.set(key, { request, resolve });
      this.#lookSoon();
    });
  }

  /** The node has work in progress until then, so it does not only wait. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.#under_way++;
    try {
      const result = await work;
      return this.#is_over ? await NEVER : result;
    } finally {
      this.#under_way--;
      this.#lookSoon();
    }
  }

  /** A decision for a node whose function is still in its wait. False when it is not. */
  decide(key: string, decision: Decision): boolean {
    const wait = this.#open.get(key);
    if (!wait || this.#is_over) return false;
    this.#open.delete(key);
    wait.resolve(decision);
    return true;
  }

  /** A key that is used twice would make the second use return the result of the first. */
  #claim(key: string): void {
    if (key === '' || key.length > MAX_KEY)
      throw invalid(`A step needs a name of 1 to ${MAX_KEY} characters`);
    if (this.#keys.has(key)) throw invalid(`Two steps of this node have the name "${key}"`);
    this.#keys.add(key);
  }

  /** A success is final; a failure only for its attempt, because the next attempt may succeed where nothing has happened. */
  #standing(key: string): StoredStep | undefined {
    const facts = this.#host.recorded(key);
    return (
      facts.find(({ status }) => status === 'success') ??
      facts.find(({ attempt }) => attempt === this.#host.attempt) ??
      facts.find(({ failure }) => failure?.kind === 'outcome_unknown')
    );
  }

  #lookSoon(): void {
    if (this.#is_looking || this.#open.size === 0) return;
    this.#is_looking = true;
    this.#host.whenIdle(() => {
      this.#is_looking = false;
      this.#look();
    });
  }

  #look(): void {
    if (this.#is_over || this.#under_way > 0) return;
    const [first] = this.#open;
    if (!first) return;
    this.#is_over = true;
    this.#suspend?.(toSuspension(first, this.#first_payload, this.#open.values()));
  }
}

function toSuspension(
  [key, { request }]: readonly [string, OpenWait],
  first_payload: JsonObject | undefined,
  waits: Iterable<OpenWait>,
): Suspension {
  const { kind, payload } = request;
  const due = Array.from(waits, ({ request }) => request.due_at ?? Infinity);
  const due_at = Math.min(...due);
  return {
    key,
    kind,
    payload,
    ...(due_at === Infinity ? {} : { due_at }),
    ...(first_payload === undefined || first_payload === payload ? {} : { first_payload }),
  };
}
