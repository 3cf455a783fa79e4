import { MAX_OWN_PAYLOAD, OWN_EVENT_NAME, OWN_EVENT_RULE } from '@millrace/nodes/own-event';
import { z } from 'zod';
import { timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';

export const publishPlatformEvent = endpoint({
  id: 'publishPlatformEvent',
  method: 'POST',
  path: '/api/platform-events',
  tag: 'Platform events',
  summary:
    'Publish an event of your own to your workflows with a platform event trigger that names it; each gets it within seconds, once. The same `Idempotency-Key` with the same body is one event, and is answered with `Idempotent-Replayed: true`',
  auth: 'session',
  body: z.object({
    name: z
      .string()
      .regex(OWN_EVENT_NAME, OWN_EVENT_RULE)
      .describe('Begins with `custom.`, so that no event of the service can be imitated.'),
    payload: z
      .record(z.string(), z.json())
      .default({})
      .refine((payload) => JSON.stringify(payload).length <= MAX_OWN_PAYLOAD, {
        error: `must not be longer than ${MAX_OWN_PAYLOAD} characters as JSON`,
      })
      .describe('At most 16,384 characters as JSON.'),
  }),
  body_limit: 128 * 1024,
  response: z.object({ id: uuid, name: z.string(), created_at: timestamp }),
  status: 201,
  errors: ['invalid_input'],
});

export const platformEventEndpoints = [publishPlatformEvent] as const;
