import type { createReplayJob, Received, ReplayJob } from '@millrace/contracts';
import { MAX_REPLAY_JOB_RUNS } from '@millrace/contracts';
import { conflict, notFound } from '../../core/app-error.ts';
import { sqlWithin } from '../../database/sql-within.ts';
import { keyReused, readIdempotencyKey } from '../../execution/admission/idempotency.ts';
import type { Needs } from '../../services.ts';
import { buildInboxSelection } from '../inbox/selection.ts';
import { readableWorkflowIds } from '../workflows/access.ts';
import * as store from './queries.ts';

type Reader = Needs<'db' | 'sql' | 'actor'>;

const NEWEST = 20;

function shown(row: store.ReplayJobRow, refusals: readonly store.RefusalRow[]): ReplayJob {
  const { id, state, origin, version, rate, total, replayed, refused } = row;
  return {
    id,
    state,
    from: origin,
    version,
    rate,
    total,
    replayed,
    refused,
    refusals: refusals
      .filter(({ job_id }) => job_id === id)
      .map(({ reason, message, count }) => ({ reason, message, count })),
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}

async function shownJobs({ sql }: Reader, rows: readonly store.ReplayJobRow[]): Promise<ReplayJob[]> {
  const refusals =
    rows.length === 0
      ? []
      : await store.readRefusals(
          sql,
          rows.map(({ id }) => id),
        );
  return rows.map((row) => shown(row, refusals));
}

export const listJobs = async (ctx: Reader): Promise<ReplayJob[]> =>
  shownJobs(ctx, await store.readJobs(ctx.sql, ctx.actor.user_id, { limit: NEWEST }));

/** A job belongs to the person who asked for it. */
export async function readJob(ctx: Reader, id: string): Promise<ReplayJob> {
  const [job] = await shownJobs(ctx, await store.readJobs(ctx.sql, ctx.actor.user_id, { id, limit: 1 }));
  if (!job) throw notFound('Replay job');
  return job;
}

/** The job that is stored now, or the one that the same request with this key has stored before. */
export interface AcceptedJob {
  readonly job: ReplayJob;
  readonly repeated: boolean;
}

type Wanted = Received<typeof createReplayJob>['body'];

/**
 * Accepts a job: durable when it resolves. Whether a run may be run again is decided when it is its turn, as for a single
 * replay; ids that name nothing the person sees are refused then.
 *
 * @param given_key the header `Idempotency-Key`
 */
export async function createJob(
  ctx: Reader & Needs<'client_ip'>,
  body: Wanted,
  given_key: string | string[] | undefined,
): Promise<AcceptedJob> {
  const { actor, client_ip } = ctx;
  const { execution_ids = [], filter, from, version, rate } = body;
  const idempotency = readIdempotencyKey(given_key, { query: {}, body }, actor.user_id);
  const selection = filter
    ? buildInboxSelection(
        await readableWorkflowIds(ctx, filter.workflow_id),
        { ...filter, viewer_id: actor.user_id },
        { first: store.FIRST_OF_SELECTION, limit: MAX_REPLAY_JOB_RUNS },
      )
    : store.buildSelection(execution_ids);
  const { id, repeated } = await ctx.db.transaction(async (db) => {
    const tx = sqlWithin(db);
    const open = await store.lockOpenJobs(tx, actor.user_id);
    const earlier = idempotency && (await store.jobOfKey(tx, actor.user_id, idempotency.key));
    if (earlier && earlier.request_hash !== idempotency.request_hash) throw keyReused();
    if (earlier) return { id: earlier.id, repeated: true };
    if (open >= store.MOST_OPEN_JOBS)
      throw conflict(
        `You have ${open} replay jobs that have not ended, which is as many as there may be; wait for one to end, or cancel one`,
      );
    const job = { requested_by: actor.user_id, client_ip, origin: from, version, rate, idempotency };
    return { id: await store.insertJob(tx, job, selection), repeated: false };
  });
  return { job: await readJob(ctx, id), repeated };
}

const MOVES = {
  pause: { from: ['running', 'paused'], to: 'paused' },
  resume: { from: ['running', 'paused'], to: 'running' },
  cancel: { from: ['running', 'paused', 'cancelled'], to: 'cancelled' },
} as const;

/** Pauses, continues or ends a job; saying it twice is the same as once. */
export async function moveJob(ctx: Reader, id: string, move: keyof typeof MOVES): Promise<ReplayJob> {
  const moved = await store.moveJob(ctx.sql, { id, requested_by: ctx.actor.user_id }, MOVES[move]);
  if (!moved) {
    const { state } = await readJob(ctx, id);
    throw conflict(`The replay job is ${state} already`);
  }
  const [job] = await shownJobs(ctx, [moved]);
  return job ?? shown(moved, []);
}
