import type {
  Decision,
  EndStatus,
  Json,
  JsonObject,
  Outcome,
  RunFact,
  StepEffect,
  WaitKind,
} from '@millrace/engine';
import type { SqlClient } from '../../database/sql-client.ts';

/** What a run is started with. Everything in it has passed the masker. */
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
  /** What the runner needs to continue on another process: test run, pinned values, error workflow... */
  readonly options: JsonObject;
  readonly input: Json;
  /** Epoch milliseconds. */
  readonly started_at_ms: number;
  /** Epoch milliseconds; null without a run timeout. */
  readonly deadline_at_ms: number | null;
}

/** A fact about a node, exactly as the engine yielded it, after the masker. */
export type StepRecord = RunFact & {
  /** The fact before the masker, where the masker changed it; a resumed run goes by this. */
  readonly sealed?: SealedFact;
};

/** Encrypted when it is asked for, because most facts are stored in the final record, which needs none. */
export interface SealedFact {
  readonly text: string;
}

/** Something that takes effect with the end of a run: in the same commit, or not at all. */
export interface EndWrite {
  /** The writes of a commit are made in the order of their keys, so that two processes cannot wait for each other. */
  readonly key: string;
  write(tx: SqlClient): Promise<void>;
}

/** Says that an effect is about to happen; durable before it does. */
export interface IntentRecord {
  readonly node_id: string;
  /** As in the engine's events; '' outside loops. */
  readonly iteration: string;
  /** Name of the step; absent for a node that has no steps. */
  readonly key?: string;
  readonly attempt: number;
  readonly effect: StepEffect;
  /** The same for every repetition of the node in this round; the target may dedupe by it. */
  readonly idempotency_key: string;
  /** Epoch milliseconds. */
  readonly started_at_ms: number;
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

/** The place of a wait: a node may have several in one round, one after the other or at once. */
export interface WaitPlace {
  readonly node_id: string;
  readonly iteration: string;
  readonly key: string;
}

/** A node waits for a decision. */
export interface WaitRecord extends WaitPlace {
  readonly kind: WaitKind;
  /** SHA-256 of a capability token, hexadecimal; null when no address decides. */
  readonly token_hash: string | null;
  /** Epoch milliseconds after which the clock decides `timed_out`; null: never. */
  readonly due_at_ms: number | null;
  /** Shown as the node's output meanwhile. */
  readonly payload: JsonObject;
  /** Words that a decision may have; others are refused. */
  readonly decisions: readonly string[];
  /** Run whose end decides; null for other kinds. */
  readonly child_run_id: string | null;
  readonly sequence: number;
  readonly attempt: number;
  /** Epoch milliseconds of the node's start. */
  readonly started_at_ms: number;
}

export interface StoredWait extends WaitRecord {
  /** Absent: undecided. */
  readonly decision?: Decision;
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

/** What is needed to continue a run after its process is gone. */
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

/** The end of a run that is done, enough to repeat its answer. */
export interface StoredFinal
  extends Pick<
    RunFinal,
    'outputs' | 'shape' | 'http_status' | 'failure' | 'execution_time_ms' | 'sealed_outputs'
  > {
  /** Of a history row without a run: why there was none. */
  readonly status: RunFinal['status'] | RefusedCall['status'];
}

/** Whether a history row is that of a call which had no run. */
export const isOfRefusedCall = (status: StoredFinal['status']): status is RefusedCall['status'] =>
  status === 'cached' || status === 'rate_limited';

/** This process lost its lease; its runs belong to another. It must stop effects and exit. */
export class Fenced extends Error {
  constructor() {
    super('this process lost its lease on the database; its runs continue on other processes');
    this.name = 'Fenced';
  }
}

/** One run is no longer this process's: it was ended, removed or taken over. Its runner stops without a word. */
export class OwnershipLost extends Error {
  readonly run_id: string;
  constructor(run_id: string) {
    super(`run ${run_id} is no longer owned by this process`);
    this.name = 'OwnershipLost';
    this.run_id = run_id;
  }
}

/** Another run of the workflow has the same idempotency key; this one must not continue. */
export class DuplicateRun extends Error {
  readonly run_id: string;
  /** The run that came first. */
  readonly existing_run_id: string;
  constructor(run_id: string, existing_run_id: string) {
    super(`run ${existing_run_id} already has this idempotency key`);
    this.name = 'DuplicateRun';
    this.run_id = run_id;
    this.existing_run_id = existing_run_id;
  }
}

/**
 * The database could not be reached for five seconds, or refuses; the caller answers 503. The journal keeps trying in
 * the meantime, so that what was handed in becomes durable once the database is back.
 */
export class JournalUnavailable extends Error {
  constructor(cause: unknown) {
    super('the run could not be stored', { cause });
    this.name = 'JournalUnavailable';
  }
}

/** A record cannot be stored, however often it is sent: it takes too long, or the database refuses what is in it. */
export class RecordRefused extends JournalUnavailable {
  constructor(run_id: string, cause: unknown) {
    super(cause);
    this.name = 'RecordRefused';
    this.message = `a record of run ${run_id} could not be stored; make the results of its nodes smaller or simpler`;
  }
}

/** Why a runner stops before the end: the process ends, or the run could not be continued here. */
export type AbandonReason = 'handed_over' | 'failed';

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
