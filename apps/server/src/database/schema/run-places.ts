import { index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { workflowId } from './workflows.ts';

/** Runs under way of workflows that limit them: of a process while a caller waits there, or of a run that was queued. */
export const runPlaces = pgTable(
  'run_places',
  {
    id: uuid('id').primaryKey(),
    workflow_id: workflowId(),
    /** As `runs.place_key`. */
    place_key: text('place_key').notNull().default(''),
    /** Null for a run that a caller waits for at `worker_id`. */
    run_id: uuid('run_id'),
    worker_id: uuid('worker_id'),
  },
  (t) => [index('run_places_workflow').on(t.workflow_id)],
);
