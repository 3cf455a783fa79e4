import { and, eq, isNotNull, lte } from 'drizzle-orm';
import { recordAudit } from '../database/audit.ts';
import type { Db } from '../database/database.ts';
import { workflows } from '../database/schema/index.ts';
import type { WorkflowRow } from '../resources/workflows/access.ts';
import { removeWorkflow } from '../resources/workflows/removal.ts';
import type { Services } from '../services.ts';

type Needed = Pick<Services, 'database' | 'broadcast' | 'log' | 'now'>;

type Scheduled = Pick<WorkflowRow, 'id' | 'name' | 'owner_id' | 'triggers_inactive'>;

const IS_SCHEDULED = isNotNull(workflows.scheduled_for_deletion);

const scheduledBefore = (db: Db, now: Date): Promise<Scheduled[]> =>
  db
    .select({
      id: workflows.id,
      name: workflows.name,
      owner_id: workflows.owner_id,
      triggers_inactive: workflows.triggers_inactive,
    })
    .from(workflows)
    .where(and(IS_SCHEDULED, lte(workflows.scheduled_for_deletion, now)))
    .orderBy(workflows.scheduled_for_deletion, workflows.id);

/** Deletes one workflow, unless it was restored or one of its triggers was switched on since it was listed. */
async function deleteScheduled({ database, broadcast, now }: Needed, { id }: Scheduled): Promise<boolean> {
  const announce = await database.db.transaction(async (tx) => {
    const [row] = await tx
      .select()
      .from(workflows)
      .where(and(eq(workflows.id, id), IS_SCHEDULED, eq(workflows.triggers_inactive, true)))
      .for('update');
    return row && removeWorkflow(tx, { now, broadcast }, { row, details: { by: 'deletion schedule' } });
  });
  announce?.();
  return announce !== undefined;
}

const KEPT = 'a start node is still active';

export interface DeletionOutcome {
  readonly deleted: string[];
  readonly kept: string[];
  /** Could not be deleted; the next day tries again. */
  readonly failed: string[];
}

/**
 * §3.3: deletes what is scheduled for deletion where every start node is switched off; the rest stays until the next
 * day. Log and audit say which went and which stayed.
 */
export async function cleanUpDeletions(services: Needed): Promise<DeletionOutcome> {
  const outcome: DeletionOutcome = { deleted: [], kept: [], failed: [] };
  for (const workflow of await scheduledBefore(services.database.db, new Date(services.now()))) {
    const named = { workflow_id: workflow.id, name: workflow.name };
    try {
      const list = await cleanUp(services, workflow);
      outcome[list].push(workflow.id);
    } catch (error) {
      // The others must not wait for one that cannot be deleted.
      outcome.failed.push(workflow.id);
      services.log.error({ err: error, ...named }, 'scheduled workflow could not be deleted');
    }
  }
  return outcome;
}

async function cleanUp(services: Needed, workflow: Scheduled): Promise<'deleted' | 'kept'> {
  const { database, log, now } = services;
  const named = { workflow_id: workflow.id, name: workflow.name };
  if (workflow.triggers_inactive) {
    const is_gone = await deleteScheduled(services, workflow);
    log.info(named, `scheduled workflow ${is_gone ? 'deleted' : 'kept: it was changed just now'}`);
    return is_gone ? 'deleted' : 'kept';
  }
  log.info(named, `scheduled workflow kept: ${KEPT}`);
  await recordAudit(
    database.db,
    { now },
    {
      action: 'workflow.deletion_postponed',
      object_kind: 'workflow',
      object_id: workflow.id,
      object_name: workflow.name,
      owner_id: workflow.owner_id,
      details: { reason: KEPT },
    },
  );
  return 'kept';
}
