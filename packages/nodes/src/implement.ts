import {
  type Decision,
  type Effect,
  type ExpressionMode,
  type Failure,
  type Json,
  type JsonObject,
  type NodeDefinition,
  NodeFailure,
  type NodeInput,
  type NodeResult,
  nameOfField,
  type WaitDoor,
  type WaitRequest,
} from '@millrace/engine';
import type { CredentialConfig } from '@millrace/engine/credential';
import type { z } from 'zod';
import type { Helpers } from './helpers.ts';
import type { Caller } from './kit/integration/call-json.ts';
import type { Egress, NodeServices } from './services.ts';

/** What the work of a step may use beside what its node has. */
export interface StepCall {
  /** Name of the step within the run's node, with the names of the nodes that called this one. */
  readonly name: string;
  /** The same for every repetition of this step, also on another process. */
  readonly idempotency_key: string;
  readonly signal: AbortSignal;
  /** A text of the step, shown while it grows to those who follow the run now and ask for it; not kept. */
  growingText(): GrowingText;
}

/** What a model writes, piece by piece. Some readers miss pieces; the result of the node has the whole text. */
export interface GrowingText {
  add(piece: string): void;
  /** What was added is void; the text begins anew. */
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
  addressOf(key: string, door?: WaitDoor): string;
  /** Shown to those who follow the run now; not kept. */
  progress(data: JsonObject): void;
}

/** Everything a node sees of the run that calls it. */
export interface NodeCall<P = Readonly<Record<string, unknown>>> extends Steps {
  /** Evaluated and parsed by the definition's `params` schema. */
  readonly params: P;
  /** In edge order. */
  readonly inputs: readonly NodeInput[];
  /** Output of the first input; `{}` when there is none. */
  readonly first_input: Json;
  /** What the run was started with; null when it was started with nothing. */
  readonly run_input: Json;
  /** The first failure of the run for error handlers, as `{node_id, node_label, node_type, message}`; null for others. */
  readonly error: JsonObject | null;
  readonly node: {
    readonly id: string;
    readonly label: string;
    readonly type: string;
    readonly data: JsonObject;
  };
  /** Rounds of the surrounding loops as in run events: `3`, `2.5`; empty outside of loops. */
  readonly iteration: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Epoch milliseconds of the node's first start in this round; a restart after a crash keeps it. */
  readonly started_at_ms: number;
  /** The same for every repetition of this node in this round, also on another process. */
  readonly idempotency_key: string;
  readonly signal: AbortSignal;
  /** Evaluates text in the node's own scope, for parameters that are read part by part. Fails with kind `expression`. */
  readonly evaluate: (text: string, mode: ExpressionMode) => Json;
  /** Whether `$credentials.<name>` is a bearer token. */
  readonly isBearer: (name: string) => boolean;
  readonly services: NodeServices;
  /** Nodes that it may call by itself. */
  readonly helpers: Helpers;
}

/** Something of a service that a parameter can name. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  /** Tells choices of the same name apart. */
  readonly hint?: string;
}

export interface ChoicePage {
  readonly items: Choice[];
  readonly next_cursor: string | null;
}

export interface ChoiceRequest {
  /** Other parameters of the node by name; only plain texts, for expressions have values in runs alone. */
  readonly params: Readonly<Record<string, string>>;
  /** Words to find; empty for all. */
  readonly search: string;
  /** Where the last page ended; null for the first. */
  readonly cursor: string | null;
}

/** Who asks a service outside of a run, and as whom. */
export interface ChoiceContext {
  readonly caller: Caller;
  /** Of the credential, for a list that several types of credential offer. */
  readonly type?: string;
  readonly config: CredentialConfig;
}

/** A search for the place where people sign in to a service. */
export interface DiscoveryRequest {
  readonly http: Egress;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly config: CredentialConfig;
  /** Where the browser comes back to; a client that is registered on the way is registered for it. */
  readonly redirect_uri: string;
}

export interface NodeImplementation {
  readonly definition: NodeDefinition;
  /** Lists for `resource` fields by name. Throws `NodeFailure`. */
  readonly choices: Readonly<
    Record<string, (context: ChoiceContext, request: ChoiceRequest) => Promise<ChoicePage>>
  >;
  /** Connection tests of credential types whose protocol is not HTTP. Throws `NodeFailure` when it does not work. */
  readonly connections: Readonly<Record<string, (context: ChoiceContext) => Promise<void>>>;
  /** By credential type: asks a service where people sign in to it. Throws `NodeFailure` when there is no such place. */
  readonly discoveries: Readonly<Record<string, (request: DiscoveryRequest) => Promise<CredentialConfig>>>;
  /** Synchronous for pure nodes: the hot path runs them without a promise. May throw `NodeFailure`. */
  readonly run: (call: NodeCall) => NodeResult | Promise<NodeResult>;
}

type Run<P extends z.ZodObject> = (call: NodeCall<z.output<P>>) => NodeResult | Promise<NodeResult>;

/** Joins a definition with the function that runs it; `params` has the type that the definition's schema infers. */
export function implement<P extends z.ZodObject>(
  definition: NodeDefinition<P>,
  run: Run<P>,
  {
    choices = {},
    connections = {},
    discoveries = {},
  }: Partial<Pick<NodeImplementation, 'choices' | 'connections' | 'discoveries'>> = {},
): NodeImplementation {
  return {
    definition,
    run: namingFields(definition, parsedBySchema(run)),
    choices,
    connections,
    discoveries,
  };
}

/** Guarantee: the caller parses parameters with `definition.params` before it calls, so their type is the inferred one. */
function parsedBySchema<P extends z.ZodObject>(run: Run<P>): NodeImplementation['run'] {
  return run as unknown as NodeImplementation['run'];
}

/**
 * A refused parameter is named as the form names it, for the message is read beside the form: nodes say only what is wrong
 * with the value. A promise is followed, so that a node of synchronous work stays synchronous.
 */
function namingFields(definition: NodeDefinition, run: NodeImplementation['run']): NodeImplementation['run'] {
  const shape: Readonly<Record<string, z.ZodType>> = definition.params.shape;
  const named = (failure: Failure): Failure => {
    const { kind, field, message } = failure;
    if (kind !== 'params' || field === undefined) return failure;
    const name = `${nameOfField(shape[field.split('.')[0] ?? ''], field)}: `;
    // Parameters that the engine has refused while they were evaluated have their name already.
    return message.startsWith(name) ? failure : { ...failure, message: name + message };
  };
  const inResult = (result: NodeResult): NodeResult =>
    'failure' in result ? { ...result, failure: named(result.failure) } : result;
  const inError = (error: unknown): unknown =>
    error instanceof NodeFailure ? new NodeFailure(named(error.failure), { cause: error }) : error;
  const rethrow = (error: unknown): never => {
    throw inError(error);
  };
  return (call) => {
    try {
      const result = run(call);
      return result instanceof Promise ? result.then(inResult, rethrow) : inResult(result);
    } catch (error) {
      return rethrow(error);
    }
  };
}
