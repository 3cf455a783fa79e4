import { index, pgTable, smallint, text, uuid } from 'drizzle-orm/pg-core';
import { instant } from '../columns.ts';

/** Answers to post to a platform when the run has ended, within the platform's deadline. */
export const deferredAnswers = pgTable(
  'deferred_answers',
  {
    run_id: uuid('run_id').primaryKey(),
    /** Trigger that received the event. */
    node_type: text('node_type').notNull(),
    /** Encrypted JSON: the reply address that the platform has given. */
    sealed: text('sealed').notNull(),
    expires_at: instant('expires_at').notNull(),
    /** Earliest time of the next attempt. */
    ready_at: instant('ready_at').notNull(),
    tries: smallint('tries').notNull().default(0),
  },
  (t) => [index('deferred_answers_expiry').on(t.expires_at)],
);
