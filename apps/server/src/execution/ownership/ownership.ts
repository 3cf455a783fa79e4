import type { SqlClient } from '../../database/sql-client.ts';
import type {
  CancelOptions,
  ClaimedRun,
  EnqueueResult,
  FireResult,
  Firing,
  GivenUpConsequences,
  GivenUpRun,
  PlaceGroup,
  QueuedRun,
} from '../model/queue.ts';
import type { AbandonReason, EndWrite } from '../model/run.ts';
import type { FoundWait, WaitDecision, WaitDecisionAt } from '../model/wait.ts';

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
  listDecisions(run_id: string): Promise<readonly WaitDecisionAt[]>;
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

/** The consequences of giving the run up: the run of its error workflow, and the event. */
export type MakeErrorRun = (run: GivenUpRun) => Promise<GivenUpConsequences>;
