import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { createdAt, instant, jsonText, primaryId } from '../columns.ts';
import { users } from './accounts.ts';
import { workflowId } from './workflows.ts';

/** The state of a trigger, judged by the process that hosts it. */
export type TriggerState = 'new' | 'armed' | 'connecting' | 'connected' | 'waiting' | 'failing';

/**
 * A start node of the published version that something outside fires; written in the transaction of the version. A row of
 * a kind that needs a host belongs to one process, for as long as that process holds its lease in `workers`.
 */
export const triggers = pgTable(
  'triggers',
  {
    id: primaryId(),
    workflow_id: workflowId(),
    node_id: text('node_id').notNull(),
    version_id: uuid('version_id').notNull(),
    /** Node type, and how that type receives. */
    type: text('type').notNull(),
    kind: text('kind').notNull(),
    /** Stored parameters of the node. */
    settings: jsonText('settings').notNull(),
    /** False while the node or its workflow is switched off, or a user has paused it. */
    active: boolean('active').notNull().default(true),
    /** Since when a user has paused it; survives new versions. */
    paused_at: instant('paused_at'),
    /** Where the source was read to, as JSON of the trigger's type; survives new versions. */
    cursor: jsonText('cursor'),
    /** When the host looks at it next; null: never, or the kind has no times. */
    next_due_at: instant('next_due_at'),
    /** Null until a host has worked out the first due time, counted from `next_due_at`. */
    armed_at: instant('armed_at'),
    /** Process in `workers` that hosts it. */
    owner: uuid('owner'),
    /** Raised with every change of owner, type, settings or `active`: what was read before that may fire no more. */
    epoch: bigint('epoch', { mode: 'number' }).notNull().default(0),
    state: text('state').$type<TriggerState>().notNull().default('new'),
    state_since: instant('state_since').notNull().defaultNow(),
    /** In plain words, without secrets. */
    last_error: text('last_error'),
    last_error_at: instant('last_error_at'),
    /** In a row, since it last worked. */
    failures: integer('failures').notNull().default(0),
    created_at: createdAt(),
  },
  (t) => [
    uniqueIndex('triggers_node').on(t.workflow_id, t.node_id),
    uniqueIndex('triggers_address').on(t.node_id, t.type).where(sql`${t.kind} = 'webhook'`),
    index('triggers_due').on(t.owner, t.next_due_at).where(sql`${t.active} and ${t.next_due_at} is not null`),
    index('triggers_events').on(t.workflow_id).where(sql`${t.kind} = 'event'`),
    index('triggers_hosted')
      .on(t.owner, t.kind)
      .where(sql`${t.kind} in ('clock', 'poll', 'connection', 'event')`),
  ],
);

/**
 * Reserves the id of a webhook node, which is part of its address, for the workflow that published it first. There is no
 * foreign key: the row outlives its node and its workflow, so that senders never reach another user's workflow.
 */
export const triggerAddresses = pgTable(
  'trigger_addresses',
  {
    node_id: text('node_id').notNull(),
    /** Node type: each has addresses of its own. */
    type: text('type').notNull(),
    workflow_id: uuid('workflow_id').notNull(),
  },
  (t) => [primaryKey({ columns: [t.node_id, t.type] })],
);

/**
 * An event outside that started a run: claimed in the statement that stores the run, so that it starts no second one.
 * Goes with its workflow by a trigger (`database/finish-schema.ts`), for a foreign key would lock the workflow per
 * event.
 */
export const triggerCauses = pgTable(
  'trigger_causes',
  {
    workflow_id: uuid('workflow_id').notNull(),
    node_id: text('node_id').notNull(),
    /** Unique name of the event at its source. */
    cause: text('cause').notNull(),
    run_id: uuid('run_id').notNull(),
    first_at: instant('first_at').notNull().defaultNow(),
    /** How often the same event came again, and when it did so last. */
    repeats: integer('repeats').notNull().default(0),
    repeated_at: instant('repeated_at'),
    /** From then on the same cause counts as a new one; null: for ever known. */
    expires_at: instant('expires_at'),
  },
  (t) => [
    primaryKey({ columns: [t.workflow_id, t.node_id, t.cause] }),
    index('trigger_causes_run').on(t.run_id),
    index('trigger_causes_expiry').on(t.expires_at).where(sql`${t.expires_at} is not null`),
  ],
);

/** Events within the service; written in the transaction of the change, delivered to workflows, kept for a week (§6.2). */
export const platformEvents = pgTable(
  'platform_events',
  {
    id: primaryId(),
    name: text('name').notNull(),
    /** Delivered to the workflows of this person only; null: to all. */
    owner_id: uuid('owner_id').references(() => users.id, { onDelete: 'cascade' }),
    /** The workflow that it is about, which may be gone. */
    workflow_id: uuid('workflow_id'),
    payload: jsonText('payload').notNull(),
    /** Events with the same key are one event. */
    dedupe_key: text('dedupe_key').notNull(),
    /** Of a trigger that began to fail: true until its error workflow was started. */
    error_run_due: boolean('error_run_due'),
    created_at: createdAt(),
  },
  (t) => [
    uniqueIndex('platform_events_dedupe').on(t.dedupe_key),
    index('platform_events_error_run_due').on(t.id).where(sql`${t.error_run_due}`),
    index('platform_events_recent').on(t.created_at),
  ],
);

/**
 * A user who waits in the editor for one delivery to the test address of a webhook node. The process that gets the delivery
 * leaves its event here for the process that answers the user. Removed when the user leaves, at the latest when it expires.
 */
export const webhookListeners = pgTable(
  'webhook_listeners',
  {
    id: primaryId(),
    workflow_id: workflowId(),
    node_id: text('node_id').notNull(),
    /** Node type and stored parameters of the draft when the user began to wait. */
    type: text('type').notNull(),
    settings: jsonText('settings').notNull(),
    /** SHA-256 of the token in the test address, hexadecimal. */
    token_hash: text('token_hash').notNull(),
    /** Encrypted JSON of what a run would receive; null: nothing was delivered yet. */
    event: text('event'),
    expires_at: instant('expires_at').notNull(),
    created_at: createdAt(),
  },
  (t) => [
    uniqueIndex('webhook_listeners_token').on(t.token_hash),
    index('webhook_listeners_workflow').on(t.workflow_id),
    index('webhook_listeners_expiry').on(t.expires_at),
  ],
);
