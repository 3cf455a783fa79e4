import { and, asc, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../database/database.ts';
import { triggerCauses, triggers, workers, workflows } from '../../database/schema/index.ts';
import type { SqlClient } from '../../database/sql-client.ts';
import { visibleIds, workflowShareable } from '../shares/shareable.ts';

const isVisible = (user_id: string): SQL =>
  inArray(triggers.workflow_id, visibleIds(workflowShareable, user_id));

const listed = (db: Db) =>
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
    .leftJoin(workers, and(eq(workers.id, triggers.owner), workers.alive));

export interface TriggerQuery {
  readonly user_id: string;
  readonly workflow_id?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** Triggers of the workflows that a person sees. */
export const visibleTriggers = (db: Db, { user_id, workflow_id, limit, offset }: TriggerQuery) =>
  listed(db)
    .where(
      and(isVisible(user_id), workflow_id === undefined ? undefined : eq(triggers.workflow_id, workflow_id)),
    )
    .orderBy(asc(workflows.name), asc(triggers.workflow_id), asc(triggers.node_id))
    .limit(limit)
    .offset(offset);

interface TriggerNode {
  readonly workflow_id: string;
  readonly node_id: string;
}

const isTrigger = ({ workflow_id, node_id }: TriggerNode) =>
  and(eq(triggers.workflow_id, workflow_id), eq(triggers.node_id, node_id));

export const triggerOfNode = async (db: Db, node: TriggerNode) =>
  (await listed(db).where(isTrigger(node)))[0];

/** @param at since when it is paused; null: it is not. A trigger that is paused stays so since then. */
export const writePause = (db: Db, node: TriggerNode, at: Date | null) =>
  db
    .update(triggers)
    .set({ paused_at: at && sql`coalesce(${triggers.paused_at}, ${at})` })
    .where(isTrigger(node));

export interface ScheduleQuery {
  readonly user_id: string;
  readonly include_shared: boolean;
}

/** Clocks of the workflows that a person sees. */
export const visibleClocks = (db: Db, { user_id, include_shared }: ScheduleQuery) =>
  db
    .select({
      id: triggers.id,
      workflow_id: triggers.workflow_id,
      node_id: triggers.node_id,
      type: triggers.type,
      settings: triggers.settings,
      active: triggers.active,
      next_due_at: triggers.next_due_at,
      armed_at: triggers.armed_at,
      workflow_name: workflows.name,
      description: workflows.description,
      scheduled_for_deletion: workflows.scheduled_for_deletion,
    })
    .from(triggers)
    .innerJoin(workflows, eq(workflows.id, triggers.workflow_id))
    .where(
      and(
        eq(triggers.kind, 'clock'),
        isVisible(user_id),
        include_shared ? undefined : eq(workflows.owner_id, user_id),
      ),
    )
    .orderBy(asc(workflows.name), asc(triggers.workflow_id), asc(triggers.node_id));

export interface FiredRow {
  readonly trigger_id: string;
  /** Of a clock: its due time, ISO 8601. */
  readonly cause: string;
  readonly run_id: string;
}

/** Due times in a period that started a run, oldest first; of each trigger the first ones. */
export async function firedBetween(
  client: SqlClient,
  trigger_ids: readonly string[],
  { start, end, most_of_one }: { start: string; end: string; most_of_one: number },
): Promise<ReadonlyMap<string, readonly FiredRow[]>> {
  const { rows } = await client.query<FiredRow>({
    text: `SELECT t.id AS trigger_id, c.cause, c.run_id FROM triggers t CROSS JOIN LATERAL (
        SELECT cause, run_id FROM trigger_causes
        WHERE workflow_id = t.workflow_id AND node_id = t.node_id AND cause >= $2 AND cause < $3
        ORDER BY cause LIMIT $4) c
      WHERE t.id = ANY($1::uuid[]) ORDER BY t.id, c.cause`,
    values: [trigger_ids, start, end, most_of_one],
  });
  const found = new Map<string, FiredRow[]>();
  for (const row of rows) {
    const own = found.get(row.trigger_id);
    if (own) own.push(row);
    else found.set(row.trigger_id, [row]);
  }
  return found;
}
