import { DAY_MS } from '@millrace/engine/units';
import { z } from 'zod';
import { queryBoolean, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { runStatus } from './executions.ts';
import { storedText } from './text.ts';

/** `new`: no process has looked at it yet. `paused`: by a user, by its node or workflow, or by a planned deletion. */
const triggerState = z.enum(['new', 'armed', 'connecting', 'connected', 'waiting', 'failing', 'paused']);

export const trigger = z
  .object({
    id: uuid,
    workflow_id: uuid,
    workflow_name: z.string(),
    node_id: z.string(),
    type: z.string(),
    kind: z.enum(['clock', 'poll', 'connection', 'webhook', 'event', 'upload']),
    state: triggerState,
    state_since: timestamp,
    /** Since when a user has paused it; null: not paused by a user. New versions leave it paused. */
    paused_at: timestamp.nullable(),
    last_event_at: timestamp.nullable(),
    /** In plain words; it may have worked again since. */
    last_error: z.string().nullable(),
    last_error_at: timestamp.nullable(),
    failures_in_a_row: z.number().int(),
    next_due_at: timestamp.nullable(),
    /** How long it has been due, in milliseconds. */
    lag_ms: z.number().int().min(0),
    /** Process that hosts it, as `host:pid`; null for kinds without a host. */
    hosted_by: z.string().nullable(),
  })
  .meta({ id: 'Trigger' });
export type Trigger = z.infer<typeof trigger>;

export const listTriggers = endpoint({
  id: 'listTriggers',
  method: 'GET',
  path: '/api/triggers',
  tag: 'Triggers',
  summary: 'Triggers of the workflows that the caller can see, with their state',
  auth: 'session',
  query: z.object({
    workflow_id: uuid.optional(),
    limit: z.coerce.number().int().min(1).max(1000).default(200),
    offset: z.coerce.number().int().min(0).default(0),
  }),
  response: z.array(trigger),
});

const nodeParams = z.object({ id: uuid, node_id: storedText(255) });

export const pauseTrigger = endpoint({
  id: 'pauseTrigger',
  method: 'PUT',
  path: '/api/workflows/{id}/triggers/{node_id}/pause',
  tag: 'Triggers',
  summary:
    'Pause a trigger of the published version: it fires nothing until it is resumed, also in later versions',
  auth: 'session',
  params: nodeParams,
  response: trigger,
  errors: ['not_found'],
});

export const resumeTrigger = endpoint({
  id: 'resumeTrigger',
  method: 'DELETE',
  path: '/api/workflows/{id}/triggers/{node_id}/pause',
  tag: 'Triggers',
  summary: 'Resume a paused trigger; what passed in between is left out',
  auth: 'session',
  params: nodeParams,
  response: trigger,
  errors: ['not_found'],
});

export const runTrigger = endpoint({
  id: 'runTrigger',
  method: 'POST',
  path: '/api/workflows/{id}/triggers/{node_id}/run',
  tag: 'Triggers',
  summary: 'Fire a schedule now, beside its due times',
  auth: 'session',
  params: nodeParams,
  response: z.object({ run_id: uuid }),
  status: 202,
  errors: ['not_found', 'conflict', 'invalid_input', 'rate_limited'],
});

/** One frame while a user waits for an event in the editor; the stream ends after `received`, `failed` or `expired`. */
export const listenFrame = z.discriminatedUnion('type', [
  /** `path`: the test address of a webhook node, below the address of the service; null for other types. */
  z.object({ type: z.literal('listening'), path: z.string().nullable(), expires_at: timestamp }),
  /** The source is connected, or was read for the first time: what happens from now on is received. */
  z.object({ type: z.literal('ready') }),
  /** The input that a run would receive (§6.2), with secrets masked. */
  z.object({ type: z.literal('received'), input: z.record(z.string(), z.json()) }),
  z.object({ type: z.literal('failed'), message: z.string() }),
  z.object({ type: z.literal('expired') }),
]);
export type ListenFrame = z.infer<typeof listenFrame>;

export const listenToTrigger = endpoint({
  id: 'listenToTrigger',
  method: 'POST',
  path: '/api/workflows/{id}/triggers/{node_id}/listen',
  tag: 'Triggers',
  summary:
    'Wait for one real event at a trigger node of the draft, as a stream; it starts no run, and a message of a queue goes back to the queue',
  auth: 'session',
  kind: 'stream',
  params: nodeParams,
  errors: ['not_found', 'invalid_input', 'rate_limited'],
});

const MOST_DAYS = 62;
const MOST_MS = MOST_DAYS * DAY_MS;

export const scheduleEvent = z
  .object({
    workflow_id: uuid,
    workflow_name: z.string(),
    /** Of the workflow. */
    description: z.string().nullable(),
    node_id: z.string(),
    scheduled_at: timestamp,
    /** The run that was started then; null for what is planned, and where the run was deleted. */
    run_id: uuid.nullable(),
    status: runStatus.nullable(),
    /** False for what has happened. */
    is_planned: z.boolean(),
  })
  .meta({ id: 'ScheduleEvent' });
export type ScheduleEvent = z.infer<typeof scheduleEvent>;

export const listSchedules = endpoint({
  id: 'listSchedules',
  method: 'GET',
  path: '/api/schedules',
  tag: 'Triggers',
  summary: 'Due times of schedules in a period: those that started a run, and those that are planned',
  auth: 'session',
  query: z
    .object({
      start: timestamp,
      end: timestamp,
      include_shared: queryBoolean.prefault('true'),
    })
    .refine(({ start, end }) => Date.parse(end) > Date.parse(start), {
      error: 'must be after start',
      path: ['end'],
    })
    .refine(({ start, end }) => Date.parse(end) - Date.parse(start) <= MOST_MS, {
      error: `must be at most ${MOST_DAYS} days after start`,
      path: ['end'],
    }),
  response: z.object({
    events: z.array(scheduleEvent),
    total: z.number().int(),
    /** Schedules with more due times than are listed of one (1,000): the rest is left out. */
    shortened: z.array(z.object({ workflow_id: uuid, workflow_name: z.string(), node_id: z.string() })),
  }),
});

export const triggerEndpoints = [
  listTriggers,
  pauseTrigger,
  resumeTrigger,
  runTrigger,
  listenToTrigger,
  listSchedules,
];
