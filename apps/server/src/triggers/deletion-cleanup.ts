import { and, eq, isNotNull, lt, lte } from 'drizzle-orm';
import { recordAudit } from '../core/audit.ts';
import type { Services } from '../core/context.ts';
import type { Db } from '../database/database.ts';
import { runs, workflows } from '../database/schema/index.ts';

type Needed = Pick<Services, 'database' | 'broadcast' | 'log' | 'now'>;

/** State of a run that has ended. */
const DONE = 3;

interface Scheduled {
  readonly id: string;
  readonly name: string;
  readonly owner_id: string;
  readonly triggers_inactive: boolean;
}

const scheduledBefore = (db: Db, now: Date): Promise<Scheduled[]> =>
  db
    .select({
      id: workflows.id,
      name: workflows.name,
      owner_id: workflows.owner_id,
      triggers_inactive: workflows.triggers_inactive,
    })
    .from(workflows)
    .where(and(isNotNull(workflows.scheduled_for_deletion), lte(workflows.scheduled_for_deletion, now)))
    .orderBy(workflows.scheduled_for_deletion, workflows.id);

async function openRuns(db: Db, workflow_id: string): Promise<string[]> {
  const rows = await db
    .select({ id: runs.id })
    .from(runs)
    .where(and(eq(runs.workflow_id, workflow_id), lt(runs.state, DONE)));
  return rows.map((row) => row.id);
}

const objectOf = ({ id, name, owner_id }: Scheduled) =>
  ({ object_kind: 'workflow', object_id: id, object_name: name, owner_id }) as const;

/** Deletes one workflow, unless somebody restored it or switched a trigger on since it was listed. */
async function deleteScheduled({ database, broadcast, now }: Needed, workflow: Scheduled): Promise<boolean> {
  const cancelled = await database.db.transaction(async (tx) => {
    const open = await openRuns(tx, workflow.id);
    const gone = await tx
      .delete(workflows)
      .where(
        and(
          eq(workflows.id, workflow.id),
          isNotNull(workflows.scheduled_for_deletion),
          eq(workflows.triggers_inactive, true),
        ),
      )
      .returning({ id: workflows.id });
    if (gone.length === 0) return undefined;
    await recordAudit(
      tx,
      { now },
      {
        action: 'workflow.deleted',
        ...objectOf(workflow),
        details: { by: 'deletion schedule' },
      },
    );
    return open;
  });
  if (!cancelled) return false;
  broadcast.publish('workflow_changed', workflow.id);
  broadcast.publish('access_changed', `workflow:${workflow.id}`);
  for (const run_id of cancelled) broadcast.publish('cancel', run_id);
  return true;
}

const KEPT = 'a start node is still active';

export interface DeletionOutcome {
  readonly deleted: string[];
  readonly kept: string[];
}

/**
 * §3.3: deletes what is scheduled for deletion where every start node is switched off; the rest stays until the next
 * day. Log and audit say which went and which stayed.
 */
export async function cleanUpDeletions(services: Needed): Promise<DeletionOutcome> {
  const { database, log, now } = services;
  const deleted: string[] = [];
  const kept: string[] = [];
  for (const workflow of await scheduledBefore(database.db, new Date(now()))) {
    if (workflow.triggers_inactive) {
      const gone = await deleteScheduled(services, workflow);
      if (gone) deleted.push(workflow.id);
      const outcome = gone ? 'deleted' : 'kept: it was changed just now';
      log.info({ workflow_id: workflow.id, name: workflow.name }, `scheduled workflow ${outcome}`);
      continue;
    }
    kept.push(workflow.id);
    log.info({ workflow_id: workflow.id, name: workflow.name }, `scheduled workflow kept: ${KEPT}`);
    await recordAudit(
      database.db,
      { now },
      {
        action: 'workflow.deletion_postponed',
        ...objectOf(workflow),
        details: { reason: KEPT },
      },
    );
  }
  return { deleted, kept };
}
