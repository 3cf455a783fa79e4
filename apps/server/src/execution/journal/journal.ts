import type {
  AbandonReason,
  Milestone,
  RefusedCall,
  RunBegin,
  RunFinal,
  RunLook,
  StoredRun,
} from '../model/run.ts';
import type { IntentRecord, StepRecord } from '../model/step.ts';
import type { WaitPlace, WaitRecord } from '../model/wait.ts';

/**
 * The only writer of runs. Records of many runs share commits; order within a run is kept: everything handed in before
 * a promise was made is durable when it resolves. Values are read when they are handed in and must not change after.
 *
 * Every returned promise may reject with `Fenced`, `OwnershipLost`, `DuplicateRun` or `JournalUnavailable`.
 */
export interface Journal {
  /**
   * Hands in the accept record of a run that this process executes. `durable` resolves when it is stored; it need not
   * be awaited. Call it only when a run outlives its first synchronous stretch: `finish` alone stores a shorter one.
   */
  begin(run: RunBegin): { readonly durable: Promise<void> };
  /** Hands in one fact of a begun run; it rides the next commit. */
  record(run_id: string, record: StepRecord): void;
  /**
   * Barrier before an effect. When it resolves, the intent and everything earlier are durable. `earlier` is the intent of
   * a former process for the same node and round: whether its effect happened is unknown.
   */
  intend(run_id: string, intent: IntentRecord): Promise<{ readonly earlier?: IntentRecord }>;
  /**
   * The effect of an intent was not sent and will not be: its outcome is known. Also for a run that was just abandoned;
   * where it cannot be stored any more, the outcome counts as unknown.
   */
  withdraw(run_id: string, intent: IntentRecord): void;
  /** Resolves when everything handed in for the run so far is durable. */
  barrier(run_id: string): Promise<void>;
  /** Ends the run. One that was never begun becomes a single inserted row. Resolves when durable. */
  finish(run: RunBegin, final: RunFinal): Promise<void>;
  /**
   * Stores a wait of a begun run; durable when it resolves, and only then may its address be shown. From then on it can be
   * decided, also while the run is still in memory. One that is stored already is left as it is.
   */
  wait(run_id: string, wait: WaitRecord): Promise<void>;
  /**
   * The run leaves memory: state waiting, no owner, its time limit is paused. `open` are the waits that a decision of
   * continues it; others count as done with. Resolves when durable.
   */
  suspend(run_id: string, open: readonly WaitPlace[]): Promise<void>;
  /** Hands in a history row of a call that started no run. Under pressure such rows are dropped and counted. */
  recordRefusal(call: RefusedCall): void;
  /** How far a run has got, before everything about it is worth reading; undefined when there is none. */
  look(run_id: string, until: Milestone): Promise<RunLook | undefined>;
  /** Reads everything about a run; undefined when there is none. Looking at a run changes nothing about who has it. */
  load(run_id: string): Promise<StoredRun | undefined>;
  /** The same for a run that this process has claimed; from then on it takes the records of that run. A runner calls it first. */
  loadOwned(run_id: string): Promise<StoredRun | undefined>;
  /**
   * Must be called when a runner stops without `finish` or `suspend` (drain, ownership lost, journal unavailable): the run
   * then goes back to the queue within seconds, if this process still owns it. `failed` counts: a run that fails so again
   * and again without a new fact is given up.
   */
  abandon(run_id: string, why: AbandonReason): void;
  /** False while so much is waiting for commit that new runs should be refused with 503. */
  hasRoom(): boolean;
  /** Resolves when nothing is waiting for commit. */
  drain(): Promise<void>;
  readonly stats: JournalStats;
}

/** Counters since the start of the process. */
export interface JournalStats {
  readonly commits: number;
  readonly records: number;
  readonly retries: number;
  /** Records that could not be stored and were given up. */
  readonly refused: number;
  /** How long the slowest commit under way has been tried; 0 when there is none. */
  readonly commit_ms: number;
  /** A commit has been tried for so long that callers are turned away. */
  readonly is_stalled: boolean;
  readonly dropped_refusals: number;
  /** Waiting now. */
  readonly pending: number;
  readonly pending_bytes: number;
}
