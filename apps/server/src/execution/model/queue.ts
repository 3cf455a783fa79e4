import type { Json, JsonObject } from '@millrace/engine';
import type { NewPlatformEvent } from '../../database/platform-events.ts';
import type { RunBegin } from './run.ts';
import type { StepRecord } from './step.ts';

/** A run to be executed by the process that claims it. */
export interface QueuedRun extends RunBegin {
  /** Smaller goes first; 0 unless there is a reason. */
  readonly priority?: number;
  /** Epoch milliseconds before which it is not claimed, `HELD_MS` until it has a place of its workflow; absent: at once. */
  readonly ready_at_ms?: number;
  /** Of `PlaceGroup`; absent: that of the workflow itself. */
  readonly place_key?: string;
  /** Set for a held run that is one too many where so many wait already. */
  readonly queue?: QueueLimit | undefined;
  /** Set for a replay: stored with the run in one statement. */
  readonly replay?: ReplayOrigin;
}

/** Runs that share places: those of a workflow, or of one value of its key. */
export interface PlaceGroup {
  readonly workflow_id: string;
  /** Empty for the workflow itself. */
  readonly place_key: string;
}

/** How many runs of a group may wait for a place, and what happens to one more. */
export interface QueueLimit {
  /** Runs under way at once. */
  readonly places: number;
  readonly most_waiting: number;
  /** `drop_oldest` ends the run that has waited longest. */
  readonly overflow: 'refuse' | 'drop_oldest';
}

/** Where a replay comes from, and what it takes over. */
export interface ReplayOrigin {
  readonly of: string;
  /** Where it begins, as history shows it. */
  readonly from: JsonObject;
  /** Results that stand, as if the run had recorded them. Masked. */
  readonly results: readonly StepRecord[];
  /** It takes the earlier run's place in the inbox. */
  readonly dismisses: boolean;
}

/** A reason for a run: it starts no second one while it is known. */
export interface Cause {
  /** Unique for the trigger. */
  readonly name: string;
  /** Epoch milliseconds until which it is known; null: for ever. */
  readonly known_until_ms: number | null;
}

/** The firing of a trigger: the run, what caused it, and what moves with it. */
export interface Firing {
  readonly run: QueuedRun;
  readonly trigger_id: string;
  /** Epoch at which the trigger was read; absent for kinds without a host, which every process may fire. */
  readonly epoch?: number | undefined;
  /** The causes that the run is for; all of them new, or nothing is stored. */
  readonly causes: readonly Cause[];
  /** Another process or call may fire with some of these causes and different others at this moment. */
  readonly overlaps: boolean;
  /** Where the source was read to; absent: unchanged. */
  readonly cursor?: Json | undefined;
  /** Epoch milliseconds at which the trigger is due next, null for never; absent: unchanged. */
  readonly next_due_at_ms?: number | null | undefined;
}

/**
 * `repeated`: one of the causes has started that run before. `refused`: as many runs wait for a place as may; nothing is
 * stored. `lost`: the trigger was changed, switched off, removed, or
 * another process hosts it; nothing is stored.
 */
export type FireResult =
  | { readonly kind: 'queued' }
  | { readonly kind: 'repeated'; readonly run_id: string }
  | { readonly kind: 'refused' }
  | { readonly kind: 'lost' };

export interface ClaimedRun extends PlaceGroup {
  readonly run_id: string;
  /** 1 when it was never executed before; otherwise `journal.loadOwned` returns where to continue. */
  readonly attempt: number;
  /** Set when the run was asked to end before it was claimed; the runner ends it as cancelled. */
  readonly cancel_requested: boolean;
}

export type EnqueueResult =
  | { readonly kind: 'queued' }
  /** The run that wanted to start it has been asked to end. */
  | { readonly kind: 'cancelled' }
  /** As many runs wait for a place as may. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'duplicate'; readonly existing_run_id: string };

/** Why a parked run was given up, in `outputs` and `failure` of its row. */
export interface ParkedReason extends JsonObject {
  error: string;
  reason: 'worker_lost' | 'no_progress';
}

export interface CancelOptions {
  /** Also end runs that were started without waiting for them. */
  readonly include_dispatched?: boolean | undefined;
}

/** A run that was given up, as far as its error workflow needs it. */
export interface GivenUpRun {
  readonly run_id: string;
  readonly workflow_id: string;
  readonly actor_id: string | null;
  /** Itself when no other run started it. */
  readonly root_run_id: string;
  readonly depth: number;
  /** Why it was given up. */
  readonly error: string;
  /** Started from outside and not by an event, on a published version, not for a trial: its end is an event. */
  readonly is_reportable: boolean;
  readonly trigger_source: string | null;
  readonly execution_time_ms: number;
  readonly ended_at_ms: number;
}

/** The consequences of giving a run up. */
export interface GivenUpConsequences {
  /** Of the error workflow; absent: none is to be started. */
  readonly run?: QueuedRun | undefined;
  readonly event?: NewPlatformEvent | undefined;
}
