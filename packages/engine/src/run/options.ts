import type { Json, JsonObject } from '../json.ts';
import type { ReplayPlace } from './replay/before.ts';

/** Names of the run that expressions may read. All optional: an absent name is null in expressions. */
export interface RunContext {
  workflowName?: string;
  workflowDescription?: string;
  workflowPath?: string;
  workflowUrl?: string;
  executionId?: string;
}

/** Values that expressions need and the engine must not generate itself. */
export interface Ambient {
  /** Epoch milliseconds. */
  now(): number;
  /** 32 hexadecimal characters. */
  uuid(): string;
  /** At least 0, less than 1. */
  random(): number;
  /** IANA zone. */
  readonly timezone: string;
}

export interface RunOptions {
  /** The input that triggers receive. */
  readonly input: Json;
  readonly ambient: Ambient;
  /** Only test runs use pinned data. */
  readonly test_run?: boolean;
  /** Id of the trigger that started the run: other triggers are skipped, with the nodes that only they lead to. Absent: all run. */
  readonly only_trigger?: string;
  /** Only these places may start; everything else that has no recorded result stays as it is. Absent: all. */
  readonly only?: readonly ReplayPlace[];
  /** Id of a node of the main flow: it runs with all that has to be done before, and then the run ends. Absent: the whole workflow runs. */
  readonly until?: string;
  /** Id of a node of the main flow: only what follows from it, and what that needs, may start. Absent: the whole workflow runs. */
  readonly behind?: string;
  /** Nodes started, repeated attempts and loop rounds included. */
  readonly max_node_executions?: number;
  /** Characters of JSON text that all rows of the run may hold together; at most `MAX_RUN_CHARACTERS`. */
  readonly max_characters?: number;
  /** Highest sequence among recorded results, so that new rows come after them. */
  readonly last_sequence?: number;
  readonly context?: RunContext;
  /** The user's global variables. */
  readonly globals?: JsonObject;
  /** `$credentials` by name. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** Names in `credentials` that hold a bearer token, which is sent behind `Bearer `. */
  readonly bearer_credentials?: ReadonlySet<string>;
  /** An unresolved reference fails its node instead of staying in the text. */
  readonly strict_references?: boolean;
  /** `$page`, a dashboard's detail record. */
  readonly page?: JsonObject;
}

export const DEFAULT_MAX_NODE_EXECUTIONS = 10_000;
