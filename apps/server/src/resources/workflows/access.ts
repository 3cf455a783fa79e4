import type { WorkflowRole } from '@millrace/contracts';
import { and, eq, getTableColumns, inArray, type SQL } from 'drizzle-orm';
import { forbidden, notFound } from '../../core/app-error.ts';
import type { Db } from '../../database/database.ts';
import {
  teamWorkflowPlacements,
  users,
  workflowShares,
  workflows,
  workflowVersions,
} from '../../database/schema/index.ts';
import type { Needs } from '../../services.ts';
import { grantingTeam, visibleIds, workflowShareable } from '../shares/shareable.ts';

/**
 * The access that a caller wants. `read`: see canvas, history and versions. `edit`: change canvas, name and
 * description. `own`: everything else, which is for the owner alone.
 */
export type WorkflowNeed = 'read' | 'edit' | 'own';

/** §5.8: the owner, people it is shared with, and members of teams it is shared with; the ways add up. */
const isVisibleTo = (user_id: string): SQL => inArray(workflows.id, visibleIds(workflowShareable, user_id));

/** Ids of the workflows that the person can see. */
export async function visibleWorkflowIds({ db, actor }: Needs<'db' | 'actor'>): Promise<string[]> {
  const rows = await db.select({ id: workflows.id }).from(workflows).where(isVisibleTo(actor.user_id));
  return rows.map((row) => row.id);
}

/** A report may be larger than the graph, and only its endpoints show it. */
const { import_report: _report, ...workflowColumns } = getTableColumns(workflows);

/** Columns that depend on who looks; `selectVisible` joins what they read. */
const viewed = (user_id: string) => ({
  workflow: workflowColumns,
  owner_name: users.name,
  version_number: workflowVersions.version_number,
  share_id: workflowShares.id,
  share_folder_id: workflowShares.folder_id,
  placed_folder_id: teamWorkflowPlacements.folder_id,
  team_name: grantingTeam(workflowShareable, user_id),
});

/** Joins the share that the person has of a workflow. */
export const buildShareCondition = (user_id: string) =>
  and(eq(workflowShares.workflow_id, workflows.id), eq(workflowShares.user_id, user_id));

/** Joins the folder in which the person keeps a workflow that they have through a team. */
export const buildPlacementCondition = (user_id: string) =>
  and(eq(teamWorkflowPlacements.workflow_id, workflows.id), eq(teamWorkflowPlacements.user_id, user_id));

/** One query over the workflows that a person can see; the caller adds conditions, order and bounds. */
export function selectVisible(db: Db, user_id: string, condition?: SQL) {
  return db
    .select(viewed(user_id))
    .from(workflows)
    .innerJoin(users, eq(users.id, workflows.owner_id))
    .innerJoin(workflowVersions, eq(workflowVersions.id, workflows.version_id))
    .leftJoin(workflowShares, buildShareCondition(user_id))
    .leftJoin(teamWorkflowPlacements, buildPlacementCondition(user_id))
    .where(and(isVisibleTo(user_id), condition));
}

export type WorkflowRow = Omit<typeof workflows.$inferSelect, 'import_report'>;

/** A workflow as one person may see it. */
export interface VisibleWorkflow {
  readonly row: WorkflowRow;
  readonly role: WorkflowRole;
  readonly owner_name: string;
  readonly version_number: number;
  /** Where this person keeps it: their own folder, never the owner's. */
  readonly folder_id: string | null;
  /** Set when a team is the only way in. */
  readonly shared_by_team: string | null;
}

/** Until then there is version 0 alone, which has no graph. */
export const isPublished = ({ version_number }: Pick<VisibleWorkflow, 'version_number'>): boolean =>
  version_number > 0;

export type ViewedRow = Awaited<ReturnType<typeof selectVisible>>[number];

export function visibleWorkflow(viewed: ViewedRow, user_id: string): VisibleWorkflow {
  const row = viewed.workflow;
  const isOwner = row.owner_id === user_id;
  return {
    row,
    role: isOwner ? 'owner' : 'collaborator',
    owner_name: viewed.owner_name,
    version_number: viewed.version_number,
    folder_id: isOwner ? row.folder_id : (viewed.share_folder_id ?? viewed.placed_folder_id),
    shared_by_team: isOwner || viewed.share_id ? null : viewed.team_name,
  };
}

/**
 * The workflow, if the actor may do that with it. What the actor cannot see is not found; what they see but may not do
 * is forbidden.
 */
export async function requireWorkflow(
  ctx: Needs<'db' | 'actor'>,
  id: string,
  need: WorkflowNeed,
): Promise<VisibleWorkflow> {
  const { user_id } = ctx.actor;
  const [found] = await selectVisible(ctx.db, user_id, eq(workflows.id, id));
  if (!found) throw notFound('Workflow');
  const visible = visibleWorkflow(found, user_id);
  if (need === 'own' && visible.role !== 'owner') {
    throw forbidden('Only the owner of the workflow may do this');
  }
  return visible;
}

/** The workflows that a list may read: all that the person can see, or the one that they ask for. */
export async function readableWorkflowIds(
  ctx: Needs<'db' | 'actor'>,
  workflow_id: string | undefined,
): Promise<string[]> {
  if (workflow_id === undefined) return visibleWorkflowIds(ctx);
  return [(await requireWorkflow(ctx, workflow_id, 'read')).row.id];
}

/** Whether a person, who need not be the one that asks, can see the workflow. */
export async function canSeeWorkflow(db: Db, user_id: string, workflow_id: string): Promise<boolean> {
  const rows = await db
    .select({ id: workflows.id })
    .from(workflows)
    .where(and(eq(workflows.id, workflow_id), isVisibleTo(user_id)));
  return rows.length > 0;
}
