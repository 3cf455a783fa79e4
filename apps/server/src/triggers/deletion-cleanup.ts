import { and, eq, isNotNull, lt, lte } from 'drizzle-orm';
import { recordAudit } from '../database/audit.ts';
import type { Db } from '../database/database.ts';
import { publishEvent, workflowEvent } from '../database/platform-events.ts';
import { runs, workflows } from '../database/schema/index.ts';
import type { Services } from '../execution/context.ts';

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

/** Deletes one workflow, unless it was restored or one of its triggers was switched on since it was listed. */
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
    await publishEvent(tx, workflowEvent('workflow.deleted', workflow, { at: new Date(now()) }));
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
    { action: 'workflow.deletion_postponed', ...objectOf(workflow), details: { reason: KEPT } },
  );
  return 'kept';
}
