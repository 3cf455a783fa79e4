import type { EndStatus, Json, JsonObject, Outcome } from '@millrace/engine';
import type { SqlClient } from '../../database/sql-client.ts';
import type { IntentRecord, StepRecord } from './step.ts';
import type { StoredWait } from './wait.ts';

/** The values that a run is started with. Everything in them has passed the masker. */
export interface RunBegin {
  /** UUID version 7, made by the caller with `newOrderedId`. */
  readonly run_id: string;
  readonly workflow_id: string;
  /** The version that the run is pinned to; null for a graph that was never stored. */
  readonly version_id: string | null;
  /** Label of §6.3; null when the source is unset. */
  readonly trigger_source: string | null;
  readonly trigger_node_id: string | null;
  /** Whose credentials and global variables the run uses. */
  readonly actor_id: string | null;
  readonly parent_run_id: string | null;
  /** The run at the top of all that called each other; null when this is it. */
  readonly root_run_id: string | null;
  /** How many Execute Workflow nodes are above this run. */
  readonly depth: number;
  /** Unique per workflow; a second run with the same key fails with `DuplicateRun`. */
  readonly idempotency_key: string | null;
  /** Options that the runner needs to continue on another process: test run, pinned values, error workflow... */
  readonly options: JsonObject;
  readonly input: Json;
  /** Epoch milliseconds. */
  readonly started_at_ms: number;
  /** Epoch milliseconds; null without a run timeout. */
  readonly deadline_at_ms: number | null;
}

/** Something that takes effect with the end of a run: in the same commit, or not at all. */
export interface EndWrite {
  /** The writes of a commit are made in the order of their keys, so that two processes cannot wait for each other. */
  readonly key: string;
  write(tx: SqlClient): Promise<void>;
}

/** How a run ended, after the masker, and what becomes durable with that. */
export interface RunFinal extends Readonly<Outcome> {
  readonly status: EndStatus;
  readonly execution_time_ms: number;
  /** Epoch milliseconds. */
  readonly ended_at_ms: number;
  /** Records that were not handed to `record`; the cheapest way for a run that was never begun. */
  readonly records?: readonly StepRecord[] | undefined;
  readonly writes?: readonly EndWrite[];
  /** The outputs before the masker, encrypted, for a run above that has to be resumed. */
  readonly sealed_outputs?: string | undefined;
}

/** A call that was refused or answered from the cache: a history row without a run (§3.1). */
export interface RefusedCall {
  readonly run_id: string;
  readonly workflow_id: string;
  readonly version_id: string | null;
  readonly status: 'cached' | 'rate_limited';
  readonly trigger_source: string | null;
  readonly actor_id: string | null;
  readonly input: Json;
  readonly outputs: Json;
  readonly http_status: number | null;
  readonly at_ms: number;
}

/** The end of a run that is done, enough to repeat its answer. */
export interface StoredFinal
  extends Pick<
    RunFinal,
    'outputs' | 'shape' | 'http_status' | 'failure' | 'execution_time_ms' | 'sealed_outputs'
  > {
  /** Of a history row without a run: why there was none. */
  readonly status: RunFinal['status'] | RefusedCall['status'];
}

/** Everything needed to continue a run after its process is gone. */
export interface StoredRun {
  readonly begin: RunBegin;
  readonly state: 'queued' | 'running' | 'waiting' | 'done';
  /** How often the run was claimed. */
  readonly attempt: number;
  /** Another process worked on it before. */
  readonly recovered: boolean;
  readonly cancel_requested: boolean;
  /** Finished nodes and failed attempts in `sequence` order. */
  readonly records: readonly StepRecord[];
  /** Effects that began and have no recorded result: their outcome is unknown. */
  readonly intents: readonly IntentRecord[];
  readonly waits: readonly StoredWait[];
  /** Set when the run is done. */
  readonly final: StoredFinal | null;
}

/** The event that ends a wait for a run: its end or a pause, an early answer as well, any new fact, or its end or a review. */
export type Milestone = 'finished' | 'answered' | 'moved' | 'reviewed';

/** How far a run has got, without what it has worked on. */
export interface RunLook {
  /** It has ended, or has a pause that ends the wait. */
  readonly rests: boolean;
  /** Stored facts, of those that may lead to the milestone before the end. */
  readonly facts: number;
}

/** Whether a history row is that of a call which had no run. */
export const isOfRefusedCall = (status: StoredFinal['status']): status is RefusedCall['status'] =>
  status === 'cached' || status === 'rate_limited';

/** Why a runner stops before the end: the process ends, or the run could not be continued here. */
export type AbandonReason = 'handed_over' | 'failed';

/** The answer that the caller of a run gets, masked. */
export interface RunAnswer extends Readonly<Pick<Outcome, 'status' | 'outputs' | 'shape' | 'http_status'>> {
  readonly run_id: string;
  readonly workflow_id: string;
  readonly execution_time_ms: number;
  /** Rows so far; complete once the run has ended. */
  readonly records: readonly StepRecord[];
}

/** How the idempotency key begins of a run that an error workflow has for the failure of a run, or for the event of a trigger. */
export const ERROR_RUN_KEY = 'error:';
