import type { Json, JsonObject } from '@millrace/engine';
import type { SqlClient } from '../../database/sql-client.ts';
import type { AbandonReason, EndWrite, RunBegin, StepRecord, WaitPlace } from '../journal/journal.ts';
import type { CancelOptions } from '../store/cancel.ts';
import type { GivenUpConsequences, GivenUpRun } from '../store/error-runs.ts';
import type { FoundWait, WaitDecisionAt } from '../store/waits.ts';

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

/** What fires a trigger: the run, what caused it, and what moves with it. */
export interface Firing {
  readonly run: QueuedRun;
  readonly trigger_id: string;
  /** Epoch at which the trigger was read; absent for kinds without a host, which every process may fire. */
  readonly epoch?: number | undefined;
  /** What the run is for; all of it new, or nothing is stored. */
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

/**
 * Which process may work on which run. One lease per process on the database's clock, renewed apart from the event loop;
 * the journal's statement checks it, so that a process that was paused can never write after another took its runs.
 */
export interface Ownership {
  readonly worker_id: string;
  /** Registers the process, takes over what dead ones left, starts renewing and sweeping. */
  start(): Promise<void>;
  /** Whether an effect may be sent now: the lease has a quarter of its time left. Asked right before every effect. */
  leaseIsSafe(): boolean;
  /** Called once when the process has lost its lease: stop effects, exit; a supervisor starts it afresh. */
  onFenced(receive: () => void): void;
  /** Runs of this process that should end; called at least once per request, also for requests made elsewhere. */
  onCancel(receive: (run_id: string) => void): () => void;
  /** Something may be claimable: a run was queued, resumed or rescued. May be called without cause. */
  onWake(receive: () => void): () => void;
  /**
   * Takes up to `limit` queued runs, oldest virtual time first; the attempt is counted before it starts.
   * Runs of `busy_workflows` stay queued.
   */
  claim(limit: number, busy_workflows?: readonly string[]): Promise<ClaimedRun[]>;
  /**
   * Stores a run for the process that claims it; durable when it resolves. `duplicate`: another run of the workflow has the
   * idempotency key.
   */
  enqueue(run: QueuedRun): Promise<EnqueueResult>;
  /** The same as a part of the commit that ends another run; `announce` is to be called once that is durable. */
  enqueueAtEnd(run: QueuedRun): { readonly write: EndWrite; announce(): void };
  /**
   * A place among the runs of a group that may be under way, for a run that a caller waits for; otherwise how many runs
   * wait for one, counted up to a bound. `leave` gives it to the next one and never rejects.
   */
  takePlace(
    group: PlaceGroup,
    limits: { readonly limit: number; readonly most_counted: number },
  ): Promise<Place | { readonly waiting: number }>;
  /** A run of the group has ended, so that its place may be free. Never rejects. */
  placeLeft(group: PlaceGroup): Promise<void>;
  /** Claims the causes, stores the run and moves the trigger's cursor in one statement; durable when it resolves. */
  fire(firing: Firing): Promise<FireResult>;
  /** Gives runs of this process back to the queue at their original position. Journal and runner must be done with them. */
  release(run_ids: readonly string[], why: AbandonReason): Promise<void>;
  /**
   * Asks a run and the runs it waits for to end, or all below it with `include_dispatched`. Queued and waiting ones end at once as cancelled; running ones are notified.
   * `finished`: it had ended before, nothing changed.
   */
  requestCancel(run_id: string, options?: CancelOptions): Promise<'requested' | 'finished' | 'unknown'>;
  /** The same for several runs as a part of a transaction; `announce` is to be called once that is durable. */
  cancelWithin(tx: SqlClient, run_ids: readonly string[]): Promise<{ announce(): void }>;
  /** Decides a wait; the first decision wins. `decided`: there was an earlier one. `unknown`: there is no such wait. */
  resume(run_id: string, wait: WaitDecision): Promise<'resumed' | 'decided' | 'unknown'>;
  /** The same as a part of a transaction; `announce` is to be called once that is durable. */
  resumeWithin(
    tx: SqlClient,
    run_id: string,
    wait: WaitDecision,
  ): Promise<{ readonly outcome: 'resumed' | 'decided' | 'unknown'; announce(): void }>;
  /** The wait that a capability token belongs to. */
  findWait(token_hash: string): Promise<FoundWait | undefined>;
  /**
   * Sets what makes the run of the error workflow for a run that was given up. It may be asked for the same run several
   * times, also by several processes; one run is stored.
   */
  onGivenUp(makeErrorRun: MakeErrorRun): void;
  /** Runs of this process with decisions that came while they were in memory; at least once for each. */
  onDecision(receive: (run_id: string) => void): () => void;
  /** The decisions of a run so far. */
  decisionsOf(run_id: string): Promise<readonly WaitDecisionAt[]>;
  /**
   * Lets the end of a run decide the waits for it; while it has not ended, nothing happens. To be called after each of the two:
   * the end, and the storing of a wait for it. Whichever comes second finds the other.
   */
  decideByEnd(run_id: string): Promise<void>;
  /** Ends renewing and sweeping, gives all runs of this process back, marks it gone. */
  stop(): Promise<void>;
}

export interface Place {
  leave(): Promise<void>;
}

/** What follows from giving the run up: the run of its error workflow, and the event. */
export type MakeErrorRun = (run: GivenUpRun) => Promise<GivenUpConsequences>;

export type EnqueueResult =
  | { readonly kind: 'queued' }
  /** The run that wanted to start it has been asked to end. */
  | { readonly kind: 'cancelled' }
  /** As many runs wait for a place as may. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'duplicate'; readonly existing_run_id: string };

export interface WaitDecision extends WaitPlace {
  /** One of the wait's words; it usually names the port. */
  readonly decision: string;
  /** What came with it. */
  readonly data: Json;
  /** Takes the place of the run's input, for a run that begins with what it waits for. Masked (§5.8). */
  readonly run_input?: Json;
}

/** Why a parked run was given up, in `outputs` and `failure` of its row. */
export interface ParkedReason extends JsonObject {
  error: string;
  reason: 'worker_lost' | 'no_progress';
}
