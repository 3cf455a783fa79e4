import type { TraceRequestType, TraceSource } from '@millrace/contracts';
import { sql } from 'drizzle-orm';
import { bigint, boolean, doublePrecision, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { instant, jsonText } from '../columns.ts';
import { userId } from './accounts.ts';
import { credentials } from './sharing.ts';
import { workflows } from './workflows.ts';

/** Calls of models. Names are those of the time of the call, so that a trace can be read when what it names is gone. */
export const traces = pgTable(
  'traces',
  {
    id: uuid('id').primaryKey(),
    user_id: userId('user_id'),
    source: text('source').$type<TraceSource>().notNull(),
    request_type: text('request_type').$type<TraceRequestType>().notNull(),
    provider: text('provider'),
    model: text('model').notNull(),
    credential_id: uuid('credential_id').references(() => credentials.id, { onDelete: 'set null' }),
    credential_name: text('credential_name'),
    workflow_id: uuid('workflow_id').references(() => workflows.id, { onDelete: 'set null' }),
    workflow_name: text('workflow_name'),
    /** Not a reference: runs are stored later than the calls that they make. */
    run_id: uuid('run_id'),
    node_id: text('node_id'),
    node_label: text('node_label'),
    step: text('step'),
    /** Idempotency key of the node: those of the nodes that called it begin it. */
    execution_key: text('execution_key'),
    /** Budgets of runs above this one that count the call, too: ids of the runs, and idempotency keys of nodes in them. */
    budget_ids: text('budget_ids').array(),
    request: jsonText('request').notNull(),
    response: jsonText('response'),
    is_cut: boolean('is_cut').notNull(),
    /** Null for a call that succeeded. */
    error: text('error'),
    prompt_tokens: integer('prompt_tokens'),
    completion_tokens: integer('completion_tokens'),
    total_tokens: integer('total_tokens'),
    /** Of `prompt_tokens`; null in traces from before they were kept. */
    cached_tokens: integer('cached_tokens'),
    cost_usd: doublePrecision('cost_usd'),
    elapsed_ms: bigint('elapsed_ms', { mode: 'number' }).notNull(),
    created_at: instant('created_at').notNull(),
  },
  (t) => [
    index('traces_user').on(t.user_id, t.created_at, t.id),
    index('traces_credential').on(t.credential_id).where(sql`${t.credential_id} is not null`),
    index('traces_workflow').on(t.workflow_id).where(sql`${t.workflow_id} is not null`),
    // Sums of costs are read from these two alone, without the wide rows.
    index('traces_workflow_cost')
      .on(t.workflow_id, t.created_at, t.cost_usd)
      .where(sql`${t.cost_usd} is not null and ${t.workflow_id} is not null`),
    index('traces_user_cost').on(t.user_id, t.created_at, t.cost_usd).where(sql`${t.cost_usd} is not null`),
    index('traces_run').on(t.run_id).where(sql`${t.run_id} is not null`),
    index('traces_budgets').using('gin', t.budget_ids).where(sql`${t.budget_ids} is not null`),
    index('traces_created_at').on(t.created_at),
  ],
);
