import { z } from 'zod';
import { timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';

/** `new`: no process has looked at it yet. `paused`: the node is off, or its workflow waits for deletion. */
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

export const triggerEndpoints = [listTriggers];
