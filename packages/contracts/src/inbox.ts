import { z } from 'zod';
import { queryBoolean, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { lineage } from './replays.ts';
import { storedText } from './text.ts';

const tag = 'Inbox';

/** `given_up`: the run was parked, because it kept ending its processes or made no progress. */
const failureKind = z.enum(['failed', 'given_up']);
/** `refused`: a trigger refused a delivery before a run was stored. */
export const inboxKind = z.enum([...failureKind.options, 'refused']);
export type InboxKind = z.infer<typeof inboxKind>;

const refusal = z.object({
  because: z
    .enum(['queue_full', 'no_place', 'off', 'invalid_body', 'too_large', 'poison'])
    .describe(
      '`no_place`: the limit of runs at once. `off`: the trigger was paused or switched off. `poison`: a message of a queue that can start no run.',
    ),
  node_id: z.string(),
  count: z
    .int()
    .describe('How often it was refused, or how many deliveries were counted without their content.'),
  can_be_sent: z.boolean().describe('Its content is kept, encrypted, so that it can be sent again.'),
});

export const inboxEntry = z
  .object({
    execution_id: uuid.describe('Of the run; of a refused delivery its own id, which names no run.'),
    workflow_id: uuid,
    workflow_name: z.string(),
    kind: inboxKind,
    reason: z.string().nullable().describe('Why the run failed, in its first 1,000 characters.'),
    /** Node that failed; null where the run failed between nodes. */
    node_label: z.string().nullable(),
    trigger_source: z.string().nullable(),
    started_at: timestamp,
    finished_at: timestamp.nullable(),
    /** Null for a draft, and for a version that was deleted since. */
    version_number: z.int().nullable(),
    is_draft: z.boolean(),
    replay_of: lineage.replay_of,
    dismissed_at: timestamp.nullable(),
    refusal: refusal.nullable().describe('Null for runs.'),
  })
  .meta({ id: 'InboxEntry' });
export type InboxEntry = z.infer<typeof inboxEntry>;

export const inboxList = z
  .object({
    /** Exact up to 10,000 entries, by kind; with a filter of kind or text among those that were looked through. */
    counts: z.object({ failed: z.int(), given_up: z.int(), refused: z.int() }),
    counts_are_capped: z.boolean(),
    items: z.array(inboxEntry),
    /** Give it as `before` for the next page; null on the last one. */
    next_before: uuid.nullable(),
    older_not_searched: z
      .boolean()
      .describe(
        'A filter of kind or text looks at the newest 20,000 entries of each workflow; true when there are more.',
      ),
  })
  .meta({ id: 'InboxList' });
export type InboxList = z.infer<typeof inboxList>;

/** The filters that narrow the inbox, in the list and where a filter names the entries of a job. */
export const inboxSelection = z.object({
  workflow_id: uuid.optional(),
  kind: failureKind.optional(),
  search: storedText(200)
    .trim()
    .min(1)
    .optional()
    .describe('Text in the reason of the failure, in any case.'),
});
export type InboxSelection = z.infer<typeof inboxSelection>;

const filters = inboxSelection.extend({
  kind: inboxKind.optional(),
  dismissed: queryBoolean.optional().describe('Those that were dismissed instead of those that were not.'),
  trials: queryBoolean.optional().describe('`false` leaves out your own test runs and runs of a draft.'),
  /** Execution id of the last entry of the page before. */
  before: uuid.optional(),
  limit: z.coerce.number().int().min(1).max(500).default(50),
});
export type InboxFilters = z.output<typeof filters>;

export const listInbox = endpoint({
  id: 'listInbox',
  method: 'GET',
  path: '/api/inbox',
  tag,
  summary:
    'Failed and given-up runs of every workflow that you can see, and deliveries that its triggers refused, newest first, until they are dismissed or run again. Test runs and runs of the draft are there only for the person who started them. Of each workflow the newest 400 refused deliveries with content and 100 without are kept; those with a wrong signature are not, and a refused delivery whose source delivered it again leaves the inbox by itself',
  auth: 'session',
  query: filters,
  response: inboxList,
  errors: ['not_found'],
});

const named = z.object({ execution_ids: z.array(uuid).min(1).max(1_000) });

export const dismissEntries = endpoint({
  id: 'dismissEntries',
  method: 'POST',
  path: '/api/inbox/dismiss',
  tag,
  summary:
    'Take entries out of the inbox; the runs stay in history. Ids that name no open entry are passed over',
  auth: 'session',
  body: named,
  response: z.object({ dismissed: z.int() }),
});

export const restoreEntries = endpoint({
  id: 'restoreEntries',
  method: 'POST',
  path: '/api/inbox/restore',
  tag,
  summary:
    'Put dismissed entries back into the inbox, also those that were run again. Ids that name no dismissed entry are passed over',
  auth: 'session',
  body: named,
  response: z.object({ restored: z.int() }),
});

export const sendDeliveries = endpoint({
  id: 'sendDeliveries',
  method: 'POST',
  path: '/api/inbox/send',
  tag,
  summary:
    'Send refused deliveries again: each starts the run that it would have started, on the version that is published now, at most once',
  auth: 'session',
  body: z.object({ delivery_ids: z.array(uuid).min(1).max(100) }),
  response: z.object({
    sent: z.int(),
    not_sent: z.array(z.object({ delivery_id: uuid, message: z.string() })),
  }),
});

export const inboxEndpoints = [listInbox, dismissEntries, restoreEntries, sendDeliveries] as const;
