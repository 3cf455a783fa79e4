import { z } from 'zod';
import { idParams, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { inboxSelection } from './inbox.ts';

const tag = 'Replays';

/** Runs of one job; what an inbox has beyond that is left for the next. */
export const MAX_REPLAY_JOB_RUNS = 10_000;

export const replayJob = z
  .object({
    id: uuid,
    state: z.enum(['running', 'paused', 'cancelled', 'done']),
    from: z.enum(['start', 'failed']),
    version: z.enum(['same', 'current']),
    /** Runs per second, at most. */
    rate: z.int(),
    /** Runs that were selected. */
    total: z.int(),
    /** Runs that were run again: each has one new run. */
    replayed: z.int(),
    /** Runs that could not be run again. */
    refused: z.int(),
    /** Why, the most frequent first. */
    refusals: z.array(
      z.object({
        reason: z.string().describe('The type or code of the refusal, as a single replay has it.'),
        message: z.string().describe('What the first run of this reason was told.'),
        count: z.int(),
      }),
    ),
    created_at: timestamp,
    /** Since when it is done or cancelled. */
    finished_at: timestamp.nullable(),
  })
  .meta({ id: 'ReplayJob' });
export type ReplayJob = z.infer<typeof replayJob>;

export const createReplayJob = endpoint({
  id: 'createReplayJob',
  method: 'POST',
  path: '/api/replays',
  tag,
  summary:
    'Run many runs again in the background, each at most once, in the order in which they began; the rules and rights are those of a single replay, for each run. 409 while 20 jobs of yours have not ended. The same `Idempotency-Key` with the same body answers with the job that it made, and `Idempotent-Replayed: true`',
  auth: 'session',
  body: z
    .object({
      execution_ids: z.array(uuid).min(1).max(MAX_REPLAY_JOB_RUNS).optional(),
      filter: inboxSelection
        .optional()
        .describe(
          'Instead of ids: the entries of the inbox that match now, at most the newest 10,000. An empty filter is the whole inbox.',
        ),
      from: z.enum(['start', 'failed']).default('start').describe('As of a single replay.'),
      version: z
        .enum(['same', 'current'])
        .default('same')
        .describe('The version that each run was of, or the published one of now.'),
      rate: z.int().min(1).max(100).default(10).describe('Runs per second, at most.'),
    })
    .refine(({ execution_ids, filter }) => (execution_ids === undefined) !== (filter === undefined), {
      path: ['execution_ids'],
      message: 'give either execution_ids or filter',
    }),
  body_limit: 1024 * 1024,
  response: replayJob,
  status: 202,
  errors: ['not_found', 'conflict', 'invalid_input'],
});

export const listReplayJobs = endpoint({
  id: 'listReplayJobs',
  method: 'GET',
  path: '/api/replays',
  tag,
  summary: 'The 20 newest of your replay jobs; those that ended are kept for 30 days',
  auth: 'session',
  response: z.array(replayJob),
});

export const readReplayJob = endpoint({
  id: 'readReplayJob',
  method: 'GET',
  path: '/api/replays/{id}',
  tag,
  summary: 'How far a replay job of yours is',
  auth: 'session',
  params: idParams,
  response: replayJob,
  errors: ['not_found'],
});

export const pauseReplayJob = endpoint({
  id: 'pauseReplayJob',
  method: 'PUT',
  path: '/api/replays/{id}/pause',
  tag,
  summary: 'Pause a replay job; a run that is being started at that moment still starts',
  auth: 'session',
  params: idParams,
  response: replayJob,
  errors: ['not_found', 'conflict'],
});

export const resumeReplayJob = endpoint({
  id: 'resumeReplayJob',
  method: 'DELETE',
  path: '/api/replays/{id}/pause',
  tag,
  summary: 'Continue a paused replay job',
  auth: 'session',
  params: idParams,
  response: replayJob,
  errors: ['not_found', 'conflict'],
});

export const cancelReplayJob = endpoint({
  id: 'cancelReplayJob',
  method: 'POST',
  path: '/api/replays/{id}/cancel',
  tag,
  summary: 'End a replay job; runs that it has started continue, and the others stay as they are',
  auth: 'session',
  params: idParams,
  response: replayJob,
  errors: ['not_found', 'conflict'],
});

export const replayJobEndpoints = [
  createReplayJob,
  listReplayJobs,
  readReplayJob,
  pauseReplayJob,
  resumeReplayJob,
  cancelReplayJob,
] as const;
