import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import type { Db } from '../../database/database.ts';
import { triggerCauses, triggers, workers, workflows } from '../../database/schema/index.ts';
import { visibleIds, workflowShareable } from '../shares/shareable.ts';

export interface TriggerQuery {
  readonly user_id: string;
  readonly workflow_id?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Triggers of the workflows that a person sees. */
export const visibleTriggers = (db: Db, { user_id, workflow_id, limit, offset }: TriggerQuery) =>
  db
    .select({
      trigger: triggers,
      workflow_name: workflows.name,
      scheduled_for_deletion: workflows.scheduled_for_deletion,
      hosted_by: workers.host,
      last_event_ms: sql<
        number | null
      >`(SELECT (extract(epoch FROM max(${triggerCauses.first_at})) * 1000)::float8
        FROM ${triggerCauses} WHERE ${triggerCauses.workflow_id} = ${triggers.workflow_id}
        AND ${triggerCauses.node_id} = ${triggers.node_id})`,
    })
    .from(triggers)
    .innerJoin(workflows, eq(workflows.id, triggers.workflow_id))
    .leftJoin(workers, and(eq(workers.id, triggers.owner), workers.alive))
    .where(
      and(
        inArray(triggers.workflow_id, visibleIds(workflowShareable, user_id)),
        workflow_id === undefined ? undefined : eq(triggers.workflow_id, workflow_id),
      ),
    )
    .orderBy(asc(workflows.name), asc(triggers.workflow_id), asc(triggers.node_id))
    .limit(limit)
    .offset(offset);
