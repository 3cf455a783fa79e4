import { bigint, integer, pgTable, primaryKey, smallint, uuid } from 'drizzle-orm/pg-core';
import { belongsTo, instant } from '../columns.ts';
import { workflows } from './workflows.ts';

const counts = {
  total: integer('total').notNull(),
  success: integer('success').notNull(),
  error: integer('error').notNull(),
};

const latencies = {
  /** Of the runs that took at least a millisecond, which alone are samples of latency. */
  total_latency_ms: bigint('total_latency_ms', { mode: 'number' }).notNull(),
  max_latency_ms: bigint('max_latency_ms', { mode: 'number' }).notNull(),
};

/** Of runs that began in the hour, the day or the month of this instant (UTC). */
const bucketStart = () => instant('bucket_start').notNull();

/**
 * Runs that ended and are in no snapshot yet: appended by the statement that ends them, without an index and so without a key that lanes
 * could wait for, and folded every few seconds.
 */
export const runEnds = pgTable('run_ends', {
  /** No reference: the workflow may be deleted by the time its run ends. */
  workflow_id: uuid('workflow_id').notNull(),
  bucket_start: bucketStart(),
  /** Null for runs that are no sample of latency. */
  latency_bucket: smallint('latency_bucket'),
  ...counts,
  ...latencies,
});

/** Runs of a workflow by when they began. Deleting the runs keeps it, deleting the workflow does not. */
export const analyticsSnapshots = pgTable(
  'analytics_snapshots',
  {
    workflow_id: belongsTo('workflow_id', () => workflows.id),
    /** 1, and for the sums of days 24, of months 720, however long they are. */
    bucket_hours: smallint('bucket_hours').notNull(),
    bucket_start: bucketStart(),
    ...counts,
    latency_sample_count: integer('latency_sample_count').notNull(),
    ...latencies,
  },
  (t) => [primaryKey({ columns: [t.workflow_id, t.bucket_hours, t.bucket_start] })],
);

/** How many samples of a snapshot fall into each bucket of latency (`execution/store/analytics/latency-buckets.ts`). */
export const analyticsLatencies = pgTable(
  'analytics_latencies',
  {
    workflow_id: belongsTo('workflow_id', () => workflows.id),
    bucket_hours: smallint('bucket_hours').notNull(),
    bucket_start: bucketStart(),
    latency_bucket: smallint('latency_bucket').notNull(),
    samples: integer('samples').notNull(),
  },
  (t) => [primaryKey({ columns: [t.workflow_id, t.bucket_hours, t.bucket_start, t.latency_bucket] })],
);

/** Workflows whose snapshots are to be counted again from their runs, in the background. */
export const analyticsRebuilds = pgTable('analytics_rebuilds', {
  workflow_id: uuid('workflow_id')
    .primaryKey()
    .references(() => workflows.id, { onDelete: 'cascade' }),
  /** From there on snapshots are replaced; null: only those are that have fewer runs than are stored. */
  since: instant('since'),
  /** Day that is counted next; null before the first. */
  next_day: instant('next_day'),
  requested_at: instant('requested_at').notNull().defaultNow(),
});
