import { sql } from 'drizzle-orm';
import { boolean, doublePrecision, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { belongsTo, createdAt, instant, jsonText, primaryId, updatedAt } from '../columns.ts';
import { userId } from './accounts.ts';
import { workflowId, workflows } from './workflows.ts';

/** A condition on the runs of a workflow that starts another workflow. */
export const alerts = pgTable(
  'alerts',
  {
    id: primaryId(),
    owner_id: userId('owner_id'),
    name: text('name').notNull(),
    /** The workflow whose runs are checked. */
    workflow_id: workflowId(),
    /** The workflow that is started. */
    target_workflow_id: belongsTo('target_workflow_id', () => workflows.id),
    kind: text('kind').$type<'error_rate' | 'duration' | 'silence'>().notNull(),
    window_minutes: integer('window_minutes').notNull(),
    /** Percent or milliseconds, as the kind says; null for silence. */
    threshold: doublePrecision('threshold'),
    least_runs: integer('least_runs').notNull(),
    /** ISO days of the week, 1 for Monday. */
    days: jsonText('days').$type<readonly number[]>().notNull(),
    /** Minutes of the day. */
    from_minute: integer('from_minute').notNull(),
    until_minute: integer('until_minute').notNull(),
    /** Null: that of the service. */
    time_zone: text('time_zone'),
    repeats: boolean('repeats').notNull(),
    active: boolean('active').notNull(),
    state: text('state').$type<'ok' | 'firing'>().notNull().default('ok'),
    state_since: instant('state_since').notNull().defaultNow(),
    /** Silence counts from then on at the earliest. */
    counts_from: instant('counts_from').notNull().defaultNow(),
    /** When a process checks it next. */
    next_look_at: instant('next_look_at').notNull().defaultNow(),
    checked_at: instant('checked_at'),
    /** The value that the last check found, in the unit of the threshold; of silence minutes. */
    value: doublePrecision('value'),
    last_run_id: uuid('last_run_id'),
    last_started_at: instant('last_started_at'),
    /** Why it could not be checked or could not start its workflow, in plain words. */
    problem: text('problem'),
    created_at: createdAt(),
    updated_at: updatedAt(),
  },
  (t) => [
    index('alerts_owner').on(t.owner_id, t.created_at, t.id),
    index('alerts_due').on(t.next_look_at).where(sql`${t.active}`),
    index('alerts_workflow').on(t.workflow_id),
    index('alerts_target').on(t.target_workflow_id),
  ],
);
