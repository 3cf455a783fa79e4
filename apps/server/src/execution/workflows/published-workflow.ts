import type { CompiledNode, CompiledWorkflow, TypedField } from '@millrace/engine';
import type { RunEventName } from '@millrace/nodes/runtime';

export interface RateLimit {
  readonly requests: number;
  readonly window_seconds: number;
}

export interface StartMessage {
  readonly send_start: boolean;
  readonly start_message: string | null;
}

/** Settings of a workflow that admission and runs read; the graph is that of the current version (§2.1). */
export interface WorkflowSettings {
  readonly id: string;
  readonly name: string;
  /** Empty when there is none. */
  readonly description: string;
  readonly owner_id: string;
  readonly version_id: string;
  readonly auth_type: 'anonymous' | 'jwt' | 'header_auth';
  /** In lower case, as Node writes header names. */
  readonly auth_header_key: string | undefined;
  readonly auth_header_value: string | undefined;
  readonly http_method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** 0: no response cache. */
  readonly cache_ttl_seconds: number;
  readonly rate_limit: RateLimit | undefined;
  /** Of each visitor of the portal, in place of the limit above. */
  readonly portal_rate_limit: RateLimit | undefined;
  readonly sse_node_config: ReadonlyMap<string, StartMessage>;
  readonly timeout_ms: number | undefined;
  /** Runs under way at once, on all processes; undefined: as many as there is room for. */
  readonly concurrency_limit: number | undefined;
  /** Runs with the same value of this expression count together; undefined: all runs of the workflow do. */
  readonly concurrency_key: string | undefined;
  /** Runs that may wait for a place; undefined: as many as come. */
  readonly queue_limit: number | undefined;
  readonly queue_overflow: 'refuse' | 'drop_oldest';
  /** Of queued runs: higher goes first. */
  readonly priority: number;
  /** US dollars that calls of models of one run may cost; undefined: no budget. */
  readonly run_budget_usd: number | undefined;
  /** The same of all runs in one day. */
  readonly daily_budget_usd: number | undefined;
  /** A reference in a text that has no value fails its node. */
  readonly strict_references: boolean;
  readonly error_workflow_id: string | undefined;
  /** Off: neither triggers nor calls start it. */
  readonly active: boolean;
  /** Ends of runs that another workflow of the owner subscribes to. */
  readonly reported_ends: ReadonlySet<RunEventName>;
}

/** One immutable version of a graph, ready to run. */
export interface WorkflowVersion {
  readonly id: string;
  readonly workflow_id: string;
  /** 0: what a workflow has before anything was published; null: a draft. */
  readonly number: number | null;
  readonly graph: CompiledWorkflow;
  /** Equal for versions with the same graph, as after a change of the name: SHA-256, hexadecimal. */
  readonly graph_hash: string;
  /** Whether any text of the graph mentions `$global`, so that other runs need not read global variables. */
  readonly reads_globals: boolean;
  /** Start node that a file is sent to: a call of the workflow is answered with an address for it, not with a result. */
  readonly upload_trigger: CompiledNode | undefined;
  /** Typed input fields of the start nodes. */
  readonly typed_inputs: readonly TypedField[];
  /** Rough size in memory. */
  readonly bytes: number;
}

/** The workflow that a run executes: mostly what is published, and a draft where a person asks for that. */
export interface PublishedWorkflow {
  readonly settings: WorkflowSettings;
  readonly version: WorkflowVersion;
}
