import type {
  ExpressionMode,
  Json,
  JsonObject,
  NodeDefinition,
  NodeInput,
  NodeResult,
} from '@millrace/engine';
import type { z } from 'zod';
import type { NodeServices } from './services.ts';

/** Everything a node sees of the run that calls it. */
export interface NodeCall<P = Readonly<Record<string, unknown>>> {
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
  readonly services: NodeServices;
}

export interface NodeImplementation {
  readonly definition: NodeDefinition;
  /** Synchronous for pure nodes: the hot path runs them without a promise. May throw `NodeFailure`. */
  readonly run: (call: NodeCall) => NodeResult | Promise<NodeResult>;
}

type Run<P extends z.ZodObject> = (call: NodeCall<z.output<P>>) => NodeResult | Promise<NodeResult>;

/** Joins a definition with the function that runs it; `params` has the type that the definition's schema infers. */
export function implement<P extends z.ZodObject>(
  definition: NodeDefinition<P>,
  run: Run<P>,
): NodeImplementation {
  return { definition, run: parsedBySchema(run) };
}

/** Guarantee: the caller parses parameters with `definition.params` before it calls, so their type is the inferred one. */
function parsedBySchema<P extends z.ZodObject>(run: Run<P>): NodeImplementation['run'] {
  return run as unknown as NodeImplementation['run'];
}
