import { sql } from 'drizzle-orm';
import { index, integer, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { instant } from '../columns.ts';
import { workflowId } from './workflows.ts';

/** Why no run was stored for a delivery. */
export type RefusalReason = 'queue_full' | 'no_place' | 'off' | 'invalid_body' | 'too_large' | 'poison';

/**
 * Deliveries that a trigger refused before a run was stored. Their number is bounded for each workflow; those beyond what
 * a process keeps in a minute are counted in one row without their content.
 */
export const refusedDeliveries = pgTable(
  'refused_deliveries',
  {
    /** UUID version 7: the inbox pages by it, together with runs. */
    id: uuid('id').primaryKey(),
    workflow_id: workflowId(),
    node_id: text('node_id').notNull(),
    source: text('source'),
    reason: text('reason').$type<RefusalReason>().notNull(),
    /** In words for the owner, without secrets. */
    message: text('message').notNull(),
    /** Name of the event at its source, as in `trigger_causes`; of rows that only count, the reason and the minute. */
    cause: text('cause').notNull(),
    /** Encrypted JSON of what the run would have received; null: it is not kept, so that it cannot be sent again. */
    input: text('input'),
    /** How often it was refused, or how many deliveries the row counts. */
    count: integer('count').notNull().default(1),
    first_at: instant('first_at').notNull(),
    last_at: instant('last_at').notNull(),
    dismissed_at: instant('dismissed_at'),
    /** The run that it started when it was sent again. */
    run_id: uuid('run_id'),
  },
  (t) => [
    uniqueIndex('refused_deliveries_cause').on(t.workflow_id, t.node_id, t.cause),
    index('refused_deliveries_workflow').on(t.workflow_id, t.id),
    index('refused_deliveries_open').on(t.workflow_id, t.id).where(sql`${t.dismissed_at} is null`),
    index('refused_deliveries_age').on(t.last_at),
  ],
);
