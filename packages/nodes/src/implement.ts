import {
  type Failure,
  type NodeDefinition,
  NodeFailure,
  type NodeResult,
  nameOfField,
} from '@millrace/engine';
import type { CredentialConfig } from '@millrace/engine/credential';
import type { ListedModel, ModelCapabilities } from '@millrace/models';
import type { z } from 'zod';
import type { Caller } from './kit/integration/call-json.ts';
import type { NodeCall } from './node-call.ts';
import type { Egress } from './services.ts';

export type { GrowingText, NodeCall, StepCall, Steps } from './node-call.ts';

/** Something of a service that a parameter can name. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  /** Tells choices of the same name apart. */
  readonly hint?: string;
  /** Of a model, where they are known. */
  readonly capabilities?: ModelCapabilities;
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
  /** Asks a provider for its models, or remembers what it answered a short while ago. */
  readonly keepModels?: (ask: () => Promise<ListedModel[]>) => Promise<ListedModel[]>;
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
