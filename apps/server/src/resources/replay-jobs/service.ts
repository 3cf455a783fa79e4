import type { createReplayJob, Received, ReplayJob } from '@millrace/contracts';
import { MAX_REPLAY_JOB_RUNS } from '@millrace/contracts';
import { conflict, notFound } from '../../core/app-error.ts';
import type { Needs } from '../../execution/context.ts';
import { inboxSelectionOf } from '../../execution/store/history/inbox.ts';
import * as store from '../../execution/store/replay-jobs.ts';
import { inboxWorkflows } from '../inbox/service.ts';

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

/**
 * Accepts a job: durable when it resolves. Whether a run may be run again is decided when it is its turn, as for a single
 * replay; ids that name nothing the person sees are refused then.
 */
export async function createJob(
  ctx: Reader & Needs<'client_ip'>,
  body: Received<typeof createReplayJob>['body'],
): Promise<ReplayJob> {
  const { execution_ids = [], filter, from, version, rate } = body;
  const selection = filter
    ? inboxSelectionOf(await inboxWorkflows(ctx, filter.workflow_id), filter, {
        first: store.FIRST_OF_SELECTION,
        limit: MAX_REPLAY_JOB_RUNS,
      })
    : store.selectionOf(execution_ids);
  const { actor, client_ip } = ctx;
  const job = { requested_by: actor.user_id, client_ip, origin: from, version, rate };
  return shown(await store.insertJob(ctx.sql, job, selection), []);
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
