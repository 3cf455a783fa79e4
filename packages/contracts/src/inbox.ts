import { z } from 'zod';
import { queryBoolean, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { lineage } from './replays.ts';
import { storedText } from './text.ts';

const tag = 'Inbox';

/** `given_up`: the run was parked, because it kept ending its processes or made no progress. */
export const inboxKind = z.enum(['failed', 'given_up']);
export type InboxKind = z.infer<typeof inboxKind>;

export const inboxEntry = z
  .object({
    execution_id: uuid,
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
  })
  .meta({ id: 'InboxEntry' });
export type InboxEntry = z.infer<typeof inboxEntry>;

export const inboxList = z
  .object({
    /** Exact up to 10,000 entries, by kind; with a filter of kind or text among those that were looked through. */
    counts: z.object({ failed: z.int(), given_up: z.int() }),
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

/** What narrows the inbox, in the list and where a filter names the entries of a job. */
export const inboxSelection = z.object({
  workflow_id: uuid.optional(),
  kind: inboxKind.optional(),
  search: storedText(200)
    .trim()
    .min(1)
    .optional()
    .describe('Text in the reason of the failure, in any case.'),
});
export type InboxSelection = z.infer<typeof inboxSelection>;

const filters = inboxSelection.extend({
  dismissed: queryBoolean.optional().describe('Those that were dismissed instead of those that were not.'),
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
    'Failed and given-up runs of every workflow that you can see, newest first, until they are dismissed or run again. What a trigger refused before a run was stored is not kept; the state of the trigger has the last refusal',
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

export const inboxEndpoints = [listInbox, dismissEntries, restoreEntries] as const;
