import type { Json, JsonObject } from '@millrace/engine';
import type { RunBegin } from '../journal/journal.ts';

/** A run to be executed by whoever claims it. */
export interface QueuedRun extends RunBegin {
  /** Smaller goes first; 0 unless there is a reason. */
  readonly priority?: number;
  /** Epoch milliseconds before which it is not claimed; absent: at once. */
  readonly ready_at_ms?: number;
}

/** The occurrence that starts a run: claimed in the transaction that stores it, so that it starts at most one. */
export interface TriggerClaim {
  /** For example `cron:<workflow id>:<node id>`. */
  readonly job: string;
  /** For example `2026-11-21T10:15`. */
  readonly slot: string;
}

export interface ClaimedRun {
  readonly run_id: string;
  readonly workflow_id: string;
  /** 1 when nobody executed it before; otherwise `journal.takeUp` says where to go on. */
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
   * Stores a run for whoever claims it; durable when it resolves. `already_claimed`: the occurrence has started a run
   * before, nothing is stored. `duplicate`: another run of the workflow has the idempotency key.
   */
  enqueue(run: QueuedRun, claim?: TriggerClaim): Promise<EnqueueResult>;
  /** Gives runs of this process back to the queue at their original position. Journal and runner must be done with them. */
  release(run_ids: readonly string[]): Promise<void>;
  /**
   * Asks a run and its children to end. Queued and waiting ones end at once as cancelled; running ones are told.
   * `finished`: it had ended before, nothing changed.
   */
  requestCancel(run_id: string): Promise<'requested' | 'finished' | 'unknown'>;
  /** Decides a wait; the first decision wins. `decided`: somebody was earlier. `unknown`: there is no such wait. */
  resume(run_id: string, wait: WaitDecision): Promise<'resumed' | 'decided' | 'unknown'>;
  /** Ends renewing and sweeping, gives all runs of this process back, marks it gone. */
  stop(): Promise<void>;
}

export type EnqueueResult =
  | { readonly kind: 'queued' }
  | { readonly kind: 'already_claimed' }
  /** The run that wanted to start it has been asked to end. */
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'duplicate'; readonly existing_run_id: string };

export interface WaitDecision {
  readonly node_id: string;
  readonly iteration: string;
  /** The node's result, as the reviewer or the upload gave it; it comes back in `StoredRun.waits`. */
  readonly result: Json;
}

/** Why a parked run was given up, in `outputs` and `failure` of its row. */
export interface ParkedReason extends JsonObject {
  error: string;
  reason: 'worker_lost';
}
