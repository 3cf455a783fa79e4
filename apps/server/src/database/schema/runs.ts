import type { WaitKind } from '@millrace/engine';
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { instant } from '../columns.ts';

// References from here to `workflows` and `workflow_versions`, and from the other tables here to `runs`, are kept by
// triggers (`database/migrator/install-triggers.ts`), not by foreign keys: a foreign key looks up and locks the parent for every
// inserted row, which cost a quarter of the journal's rate.

/** A process that may own runs; its lease is renewed apart from the event loop and judged by the database's clock. */
export const workers = pgTable(
  'workers',
  {
    id: uuid('id').primaryKey(),
    host: text('host').notNull(),
    started_at: instant('started_at').notNull().defaultNow(),
    alive: boolean('alive').notNull().default(true),
    lease_until: instant('lease_until').notNull(),
    engine_version: integer('engine_version').notNull(),
    /** Takes its share of the triggers that need a host. */
    hosts_triggers: boolean('hosts_triggers').notNull().default(false),
  },
  (t) => [index('workers_alive').on(t.lease_until).where(sql`${t.alive}`)],
);

/**
 * One run: the thin row that lists, its input and, when it ended in the same commit that began it, all of its records.
 * `state`: 0 queued, 1 running, 2 waiting, 3 done. `status` is the specification's word (§3.1) once there is one.
 */
export const runs = pgTable(
  'runs',
  {
    /** UUID version 7: history pages by it. */
    id: uuid('id').primaryKey(),
    workflow_id: uuid('workflow_id').notNull(),
    /** May name a version that was deleted since: nothing of a finished run is read from it. */
    version_id: uuid('version_id'),
    state: smallint('state').notNull(),
    status: text('status').notNull(),
    trigger_source: text('trigger_source'),
    trigger_node_id: text('trigger_node_id'),
    /** Whose credentials and global variables the run uses. */
    actor_id: uuid('actor_id'),
    owner: uuid('owner'),
    /** Claims so far. */
    attempt: smallint('attempt').notNull().default(0),
    /** How often its process was lost; and how often in a row since the run last got on. */
    takeovers: smallint('takeovers').notNull().default(0),
    stalls: smallint('stalls').notNull().default(0),
    /** How often in a row a process claimed it and gave it back without a new fact. */
    releases: smallint('releases').notNull().default(0),
    /** Journaled facts at the last takeover or release. */
    progress: integer('progress').notNull().default(0),
    /** Oldest engine that can continue it; an older process leaves it queued. */
    engine_version: smallint('engine_version').notNull().default(1),
    priority: smallint('priority').notNull().default(0),
    /** Position in the queue: start-time fair queueing over workflows. */
    virtual_time: bigint('virtual_time', { mode: 'number' }).notNull().default(0),
    /** Infinite while the run waits for a place of its workflow. */
    ready_at: instant('ready_at'),
    /** Runs of the workflow with the same key share its places: a hash of the value of its key, empty without one. */
    place_key: text('place_key').notNull().default(''),
    deadline_at: instant('deadline_at'),
    cancel_requested_at: instant('cancel_requested_at'),
    /** While it waits and is in no memory; its deadline moves by that time when it continues. */
    suspended_at: instant('suspended_at'),
    parent_run_id: uuid('parent_run_id'),
    /** The run at the top of a chain of calls, including calls without waiting; null for that run itself. */
    root_run_id: uuid('root_run_id'),
    depth: smallint('depth').notNull().default(0),
    idempotency_key: text('idempotency_key'),
    options: text('options'),
    /** The earlier run that it takes results from, and where it began, as JSON; the earlier one may have been deleted since. */
    replay_of: uuid('replay_of'),
    replay_from: text('replay_from'),
    input: text('input').notNull(),
    outputs: text('outputs'),
    /** Shape of the answer and failure, as JSON; null for a plain success. */
    outcome: text('outcome'),
    /** Node results that were not journaled earlier, as one JSON list. */
    records: text('records'),
    http_status: smallint('http_status'),
    /** References in texts that had no value; null: none. */
    unresolved_references: integer('unresolved_references'),
    recovered: boolean('recovered').notNull().default(false),
    /** Of a run that was given up: true until the run of its error workflow is stored, or there is none to start. */
    error_run_due: boolean('error_run_due'),
    /** Of the version before: at most 24.8 days. */
    execution_time_ms: integer('execution_time_ms'),
    duration_ms: bigint('duration_ms', { mode: 'number' }),
    started_at: instant('started_at').notNull(),
    finished_at: instant('finished_at'),
    /** When its failure left the inbox: a person dismissed it, or it was run again and the new run takes its place. */
    dismissed_at: instant('dismissed_at'),
  },
  (t) => [
    index('runs_history').on(t.workflow_id, t.id),
    // Most runs succeed and are called over the API; those cost nothing here. Running ones are found as open ones.
    index('runs_history_status')
      .on(t.workflow_id, t.status, t.id)
      .where(sql`${t.status} <> 'success' and ${t.status} <> 'running'`),
    index('runs_history_source')
      .on(t.workflow_id, t.trigger_source, t.id)
      .where(sql`${t.trigger_source} <> 'API'`),
    index('runs_history_unresolved').on(t.workflow_id, t.id).where(sql`${t.unresolved_references} > 0`),
    // Runs that wait for a place of their workflow are not among those that are looked through for the next ones to claim.
    index('runs_claimable')
      .on(t.priority, t.virtual_time, t.id)
      .where(sql`${t.state} = 0 and ${t.ready_at} is distinct from 'infinity'`),
    index('runs_claimable_workflow')
      .on(t.workflow_id, t.virtual_time)
      .where(sql`${t.state} = 0 and ${t.ready_at} is distinct from 'infinity'`),
    index('runs_held_place')
      .on(t.workflow_id, t.place_key, t.virtual_time, t.id)
      .where(sql`${t.state} = 0 and ${t.ready_at} = 'infinity'`),
    index('runs_running').on(t.owner, t.virtual_time).where(sql`${t.state} = 1`),
    // Read from its end, where entries of runs that ended are marked as they are met; a look through all would read those, too.
    index('runs_reached').on(t.priority, t.virtual_time).where(sql`${t.state} = 1`),
    index('runs_open').on(t.workflow_id, t.id).where(sql`${t.state} < 3`),
    index('runs_parent').on(t.parent_run_id).where(sql`${t.parent_run_id} is not null`),
    // `execution/store/encoding/lineage.ts` says which runs these are.
    index('runs_dispatched')
      .on(sql`substr(${t.idempotency_key}, 1, 36)`)
      .where(sql`${t.parent_run_id} is null and ${t.root_run_id} is not null`),
    index('runs_family').on(t.root_run_id).where(sql`${t.state} < 3 and ${t.root_run_id} is not null`),
    index('runs_error_due').on(t.id).where(sql`${t.error_run_due}`),
    index('runs_replays').on(t.replay_of, t.id).where(sql`${t.replay_of} is not null`),
    index('runs_inbox')
      .on(t.workflow_id, t.id)
      .where(sql`${t.status} = 'error' and ${t.dismissed_at} is null`),
    index('runs_dismissed')
      .on(t.workflow_id, t.id)
      .where(sql`${t.status} = 'error' and ${t.dismissed_at} is not null`),
    uniqueIndex('runs_idempotency')
      .on(t.workflow_id, t.idempotency_key)
      .where(sql`${t.idempotency_key} is not null`),
  ],
);

/** Journaled facts of a run that outlived one commit: those of nodes, and with a `key` those of a node's steps and pauses. */
export const steps = pgTable(
  'steps',
  {
    run_id: uuid('run_id').notNull(),
    node_id: text('node_id').notNull(),
    iteration: text('iteration').notNull().default(''),
    key: text('key').notNull().default(''),
    attempt: smallint('attempt').notNull().default(1),
    /** Claim of the run under which it was recorded; 0 in rows from before claims were stored. */
    claim: smallint('claim').notNull().default(0),
    kind: text('kind').$type<'intent' | 'done' | 'retry' | 'pause'>().notNull(),
    /** Of an intent: 1 when its effect was not sent after all. */
    sequence: integer('sequence').notNull(),
    /** Masked (§5.8). */
    record: text('record').notNull(),
    /** Fernet token of the record before the masker, where that changed it; only a resumed run reads it. */
    sealed: text('sealed'),
    worker_id: uuid('worker_id').notNull(),
    at: instant('at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.run_id, t.node_id, t.iteration, t.key, t.kind, t.attempt] })],
);

/** A large value, kept once per content. */
export const blobs = pgTable('blobs', {
  hash: text('hash').primaryKey(),
  content: text('content').notNull(),
  /** Characters. */
  size: integer('size').notNull(),
  created_at: instant('created_at').notNull().defaultNow(),
});

/** Which run needs which large value; retention drops values that no run needs. */
export const runBlobs = pgTable(
  'run_blobs',
  {
    run_id: uuid('run_id').notNull(),
    hash: text('hash').notNull(),
  },
  (t) => [primaryKey({ columns: [t.run_id, t.hash] }), index('run_blobs_hash').on(t.hash)],
);

/** A node waits for a decision, which may come when no process has the run in memory. */
export const waits = pgTable(
  'waits',
  {
    run_id: uuid('run_id').notNull(),
    node_id: text('node_id').notNull(),
    iteration: text('iteration').notNull().default(''),
    key: text('key').notNull().default(''),
    kind: text('kind').$type<WaitKind>().notNull(),
    token_hash: text('token_hash'),
    due_at: instant('due_at'),
    payload: text('payload').notNull(),
    sequence: integer('sequence').notNull(),
    attempt: smallint('attempt').notNull().default(1),
    started_at: instant('started_at').notNull(),
    /** Words that a decision may have, as a JSON list. */
    decisions: text('decisions'),
    /** Run whose end decides. */
    child_run_id: uuid('child_run_id'),
    /** The word of the decision; `timed_out` when the clock decided. */
    decision: text('decision'),
    /** The data that came with it, as JSON; null when the clock decided. */
    result: text('result'),
    decided_at: instant('decided_at'),
    /** The run continued with the decision, or ended. */
    applied: boolean('applied').notNull().default(false),
    created_at: instant('created_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.run_id, t.node_id, t.iteration, t.key] }),
    uniqueIndex('waits_token').on(t.token_hash),
    index('waits_due').on(t.due_at).where(sql`${t.decided_at} is null and ${t.due_at} is not null`),
    index('waits_child')
      .on(t.child_run_id)
      .where(sql`${t.decided_at} is null and ${t.child_run_id} is not null`),
    index('waits_decided').on(t.run_id).where(sql`${t.decided_at} is not null and not ${t.applied}`),
  ],
);

/** A deleted workflow whose runs are still being deleted, in slices; the row goes after the last of them. */
export const runDeletions = pgTable('run_deletions', {
  workflow_id: uuid('workflow_id').primaryKey(),
  workflow_name: text('workflow_name').notNull(),
  /** Of the workflow; not a reference, for the owner may be deleted too. */
  owner_id: uuid('owner_id').notNull(),
  runs_deleted: bigint('runs_deleted', { mode: 'number' }).notNull().default(0),
  /** Counted when the deletion begins. */
  runs_total: bigint('runs_total', { mode: 'number' }),
  requested_at: instant('requested_at').notNull().defaultNow(),
});

/**
 * Response cache, and what processes have for the event streams of others (with the zero UUID as their workflow), where no
 * shared store is configured; unlogged, for it may be lost.
 */
export const responseCache = pgTable(
  'response_cache',
  {
    key: text('key').primaryKey(),
    workflow_id: uuid('workflow_id').notNull(),
    outputs: text('outputs').notNull(),
    expires_at: instant('expires_at').notNull(),
  },
  (t) => [
    index('response_cache_workflow').on(t.workflow_id),
    index('response_cache_expiry').on(t.expires_at),
  ],
);

/** Counters of attempts with long bans (§8.2), in the column order of `rate-limiter-flexible`, which inserts by position. */
export const attemptCounts = pgTable(
  'attempt_counts',
  {
    key: text('key').primaryKey(),
    points: integer('points').notNull(),
    /** Epoch milliseconds. */
    expire: bigint('expire', { mode: 'number' }),
  },
  (t) => [index('attempt_counts_expiry').on(t.expire)],
);
