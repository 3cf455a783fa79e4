import { sql } from 'drizzle-orm';
import { index, integer, pgTable, primaryKey, smallint, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { createdAt, instant, primaryId } from '../columns.ts';
import { users } from './accounts.ts';

/** Many replays that a person asked for at once; any process carries them out, in slices. */
export const replayJobs = pgTable(
  'replay_jobs',
  {
    id: primaryId(),
    requested_by: uuid('requested_by')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Address that limits count the replays by. */
    client_ip: text('client_ip').notNull(),
    state: text('state').$type<'running' | 'paused' | 'cancelled' | 'done'>().notNull(),
    origin: text('origin').$type<'start' | 'failed'>().notNull(),
    version: text('version').$type<'same' | 'current'>().notNull(),
    /** Runs per second, at most. */
    rate: integer('rate').notNull(),
    total: integer('total').notNull(),
    replayed: integer('replayed').notNull().default(0),
    refused: integer('refused').notNull().default(0),
    /** When the next slice is due; while one is under way, when another process takes over. */
    next_slice_at: instant('next_slice_at').notNull().defaultNow(),
    /** Of the present claim; each claim has a new one. */
    claim_id: uuid('claim_id'),
    /** Of the request, and the hash of its content. */
    idempotency_key: text('idempotency_key'),
    request_hash: text('request_hash'),
    created_at: createdAt(),
    finished_at: instant('finished_at'),
  },
  (t) => [
    index('replay_jobs_due').on(t.next_slice_at).where(sql`${t.state} = 'running'`),
    index('replay_jobs_person').on(t.requested_by, t.created_at),
    uniqueIndex('replay_jobs_key')
      .on(t.requested_by, t.idempotency_key)
      .where(sql`${t.idempotency_key} is not null`),
    index('replay_jobs_finished').on(t.finished_at).where(sql`${t.finished_at} is not null`),
  ],
);

const jobId = () =>
  uuid('job_id')
    .notNull()
    .references(() => replayJobs.id, { onDelete: 'cascade' });

/** Runs that a job has still to run again; a row goes in the statement that counts it. */
export const replayJobRuns = pgTable(
  'replay_job_runs',
  {
    job_id: jobId(),
    run_id: uuid('run_id').notNull(),
    /** How often it failed unexpectedly. */
    failures: smallint('failures').notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.job_id, t.run_id] })],
);

/** Workflows whose rate limit refused a run of a job, and until when the job leaves their runs alone. */
export const replayJobRests = pgTable(
  'replay_job_rests',
  {
    job_id: jobId(),
    workflow_id: uuid('workflow_id').notNull(),
    until: instant('until').notNull(),
  },
  (t) => [primaryKey({ columns: [t.job_id, t.workflow_id] })],
);

/** Why runs of a job could not be run again. */
export const replayJobRefusals = pgTable(
  'replay_job_refusals',
  {
    job_id: jobId(),
    reason: text('reason').notNull(),
    /** Of the first run with this reason. */
    message: text('message').notNull(),
    count: integer('count').notNull(),
  },
  (t) => [primaryKey({ columns: [t.job_id, t.reason] })],
);
