import type {
  Effect,
  FailedNode,
  Failure,
  Json,
  JsonObject,
  NodeFinished,
  NodeRetried,
} from '@millrace/engine';

/** What a run is started with. Everything in it has passed the masker. */
export interface RunBegin {
  /** UUID version 7, made by the caller with `newRunId`. */
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
  /** Whatever the runner needs to go on elsewhere: test run, pinned values, error workflow... */
  readonly options: JsonObject;
  readonly input: Json;
  /** Epoch milliseconds. */
  readonly started_at_ms: number;
  /** Epoch milliseconds; null without a run timeout. */
  readonly deadline_at_ms: number | null;
}

/** A fact about a node, exactly as the engine yielded it, after the masker. */
export type StepRecord = NodeFinished | NodeRetried;

/** Says that an effect is about to happen; durable before it does. */
export interface IntentRecord {
  readonly node_id: string;
  /** As in the engine's events; '' outside loops. */
  readonly iteration: string;
  readonly attempt: number;
  readonly effect: Effect;
  /** The same for every repetition of the node in this round; the target may dedupe by it. */
  readonly idempotency_key: string;
  /** Epoch milliseconds. */
  readonly started_at_ms: number;
}

export interface RunFinal {
  readonly status: 'success' | 'error' | 'cancelled';
  readonly outputs: Json;
  /** How the answer is shaped, so that a repeated request gets the same one. */
  readonly shape: 'labels' | 'json' | 'html';
  /** Status that a Throw Error node set; null otherwise. */
  readonly http_status: number | null;
  readonly failure: Failure | null;
  readonly failed_node: FailedNode | null;
  readonly execution_time_ms: number;
  /** Epoch milliseconds. */
  readonly ended_at_ms: number;
  /** Records that were not handed to `record`; the cheapest way for a run that was never begun. */
  readonly records?: readonly StepRecord[];
}

/** A pause of one node; a run waits while none of its waits is decided. */
export interface WaitRecord {
  readonly node_id: string;
  readonly iteration: string;
  readonly kind: 'review' | 'timer' | 'upload';
  /** SHA-256 of a capability token, hexadecimal; null when nobody decides by a link. */
  readonly token_hash: string | null;
  /** Epoch milliseconds after which the wait is decided without a result; null: never. */
  readonly due_at_ms: number | null;
  /** Shown as the node's output meanwhile. */
  readonly payload: JsonObject;
  readonly sequence: number;
  readonly attempt: number;
  /** Epoch milliseconds of the node's start. */
  readonly started_at_ms: number;
}

export interface StoredWait extends WaitRecord {
  /** Absent: undecided. `result` is null when the due time decided. */
  readonly decision?: { readonly result: Json; readonly decided_at_ms: number };
}

/** A call that was refused or answered from the cache: a history row without a run (§3.1). */
export interface NoteRow {
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

/** What is needed to go on with a run after its process is gone. */
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
export interface StoredFinal {
  readonly status: string;
  readonly outputs: Json;
  readonly shape: 'labels' | 'json' | 'html';
  readonly http_status: number | null;
  readonly failure: Failure | null;
  readonly execution_time_ms: number;
}

/** This process lost its lease; its runs belong to another. It must stop effects and exit. */
export class Fenced extends Error {
  constructor() {
    super('this process lost its lease on the database; its runs go on elsewhere');
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

/** Another run of the workflow has the same idempotency key; this one must not go on. */
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
 * The database could not be reached for five seconds, or refuses; the caller answers 503. The journal goes on trying in
 * the meantime, so that what was handed in becomes durable once the database is back.
 */
export class JournalUnavailable extends Error {
  constructor(cause: unknown) {
    super('the run could not be stored', { cause });
    this.name = 'JournalUnavailable';
  }
}

/**
 * The one writer of runs. Records of many runs share commits; order within a run is kept: whatever was handed in before
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
  /** Resolves when everything handed in for the run so far is durable. */
  barrier(run_id: string): Promise<void>;
  /** Ends the run. One that was never begun becomes a single inserted row. Resolves when durable. */
  finish(run: RunBegin, final: RunFinal): Promise<void>;
  /**
   * Pauses the run: state waiting, no owner. `waits` are all nodes that are paused now, earlier ones included. Resolves
   * when durable; only then may a review address be shown. A run that was never begun is stored with it, together with
   * `records`, the facts that were not handed to `record`.
   */
  suspend(run: RunBegin, waits: readonly WaitRecord[], records?: readonly StepRecord[]): Promise<void>;
  /** Hands in a history row of a call that started no run. Under pressure such rows are dropped and counted. */
  note(row: NoteRow): void;
  /** Reads everything about a run; undefined when there is none. Looking at a run changes nothing about who has it. */
  load(run_id: string): Promise<StoredRun | undefined>;
  /** The same for a run that this process has claimed; from then on it takes the records of that run. A runner calls it first. */
  takeUp(run_id: string): Promise<StoredRun | undefined>;
  /**
   * Must be called when a runner stops without `finish` or `suspend` (drain, ownership lost, journal unavailable): the run
   * then goes back to the queue within seconds, if this process still owns it.
   */
  forget(run_id: string): void;
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
  readonly dropped_notes: number;
  /** Waiting now. */
  readonly pending: number;
  readonly pending_bytes: number;
}
