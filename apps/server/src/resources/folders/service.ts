import {
  FOLDER_DEPTH,
  type Folder,
  type FolderContents,
  type FolderTree,
  ROOT_FOLDER,
  type WorkflowSummary,
} from '@millrace/contracts';
import { AppError, conflict, notFound } from '../../core/app-error.ts';
import { newId } from '../../core/ids.ts';
import { recordAudit } from '../../database/audit.ts';
import type { Db } from '../../database/database.ts';
import type { Needs } from '../../services.ts';
import { requireWorkflow } from '../workflows/access.ts';
import { workflowSummary } from '../workflows/record.ts';
import { listedSummary, listMatching } from '../workflows/summaries.ts';
import * as queries from './queries.ts';
import { buildTree, folderRecord, measureDepth, measureHeight, subtree } from './tree.ts';

type Reader = Needs<'db' | 'actor'>;
export type FolderWriter = Needs<'db' | 'actor' | 'broadcast' | 'now' | 'request_id' | 'client_ip'>;

/** Folders belong to one person, who alone sees them. */
export async function requireOwnFolder(ctx: Reader, id: string): Promise<queries.FolderRow> {
  const row = await queries.ownFolder(ctx.db, ctx.actor.user_id, id);
  if (!row) throw notFound('Folder');
  return row;
}

/** One comparer for all: `localeCompare` makes its own each time, which a tree of ten thousand workflows feels. */
const byName = new Intl.Collator().compare;

/** Workflows that the caller keeps in these folders, or in any; one query. */
async function placedWorkflows(ctx: Reader, folder_ids?: readonly string[]): Promise<WorkflowSummary[]> {
  const { user_id } = ctx.actor;
  const rows = await listMatching(ctx.db, user_id, queries.placedIn(user_id, folder_ids));
  return rows.map((row) => listedSummary(row, user_id)).sort((a, b) => byName(a.name, b.name));
}

export async function listFolders(ctx: Reader): Promise<Folder[]> {
  return (await queries.childFolders(ctx.db, ctx.actor.user_id, null)).map(folderRecord);
}

/** Two queries, however many folders and workflows there are. */
export async function readTree(ctx: Reader): Promise<FolderTree[]> {
  const rows = await queries.ownFolders(ctx.db, ctx.actor.user_id);
  return buildTree(rows, rows.length === 0 ? [] : await placedWorkflows(ctx));
}

export async function readFolder(ctx: Reader, id: string): Promise<FolderContents> {
  const row = await requireOwnFolder(ctx, id);
  const children = await queries.childFolders(ctx.db, ctx.actor.user_id, id);
  const workflows = (await placedWorkflows(ctx, [id])).filter((workflow) => workflow.folder_id === id);
  return { ...folderRecord(row), children: children.map(folderRecord), workflows };
}

const toParentId = (given: string | null | undefined): string | null =>
  !given || given === ROOT_FOLDER ? null : given;

const tooDeep = () =>
  new AppError('bad_request', `Folders can be nested at most ${FOLDER_DEPTH} levels deep`);

interface FolderEvent {
  readonly verb: 'created' | 'updated' | 'moved' | 'deleted';
  readonly id: string;
  readonly name: string;
  readonly details?: Record<string, unknown>;
}

const auditFolder = (db: Db, ctx: FolderWriter, { verb, id, name, details = {} }: FolderEvent) =>
  recordAudit(db, ctx, {
    action: `folder.${verb}`,
    object_kind: 'folder',
    object_id: id,
    object_name: name,
    details,
  });

export async function createFolder(
  ctx: FolderWriter,
  input: { name: string; description?: string | null | undefined; parent_id?: string | null | undefined },
): Promise<Folder> {
  const id = newId();
  const now = new Date(ctx.now());
  const parent_id = toParentId(input.parent_id);
  const row = {
    id,
    name: input.name,
    description: input.description || null,
    parent_id,
    owner_id: ctx.actor.user_id,
    created_at: now,
    updated_at: now,
  };
  await ctx.db.transaction(async (tx) => {
    await queries.lockTree(tx, row.owner_id);
    if (parent_id !== null) {
      await requireOwnFolder({ ...ctx, db: tx }, parent_id);
      const rows = await queries.ownFolders(tx, row.owner_id);
      if (measureDepth(rows, parent_id) >= FOLDER_DEPTH) throw tooDeep();
    }
    await queries.insertFolder(tx, row);
    await auditFolder(tx, ctx, { verb: 'created', id, name: row.name });
  });
  return folderRecord(row);
}

/** Refuses a parent that is in the folder itself: the two would hang on each other and on nothing else. */
async function requireParent(ctx: Reader, id: string, parent_id: string | null): Promise<void> {
  if (parent_id === null) return;
  await requireOwnFolder(ctx, parent_id);
  const rows = await queries.ownFolders(ctx.db, ctx.actor.user_id);
  const moved = subtree(rows, id);
  if (moved.some((row) => row.id === parent_id)) {
    throw new AppError('bad_request', 'A folder cannot be moved into itself or into one of its sub-folders');
  }
  if (measureDepth(rows, parent_id) + measureHeight(moved) > FOLDER_DEPTH) throw tooDeep();
}

export async function updateFolder(
  ctx: FolderWriter,
  {
    id,
    ...input
  }: {
    id: string;
    name?: string | null | undefined;
    description?: string | null | undefined;
    parent_id?: string | null | undefined;
  },
): Promise<Folder> {
  return ctx.db.transaction(async (tx) => {
    const inside = { ...ctx, db: tx };
    await queries.lockTree(tx, ctx.actor.user_id);
    const row = await requireOwnFolder(inside, id);
    const parent_id = input.parent_id === undefined ? row.parent_id : toParentId(input.parent_id);
    if (parent_id !== row.parent_id) await requireParent(inside, id, parent_id);
    const next = {
      ...row,
      parent_id,
      name: input.name ?? row.name,
      description: typeof input.description === 'string' ? input.description || null : row.description,
      updated_at: new Date(ctx.now()),
    };
    await queries.updateFolder(tx, id, next);
    const verb = parent_id === row.parent_id ? 'updated' : 'moved';
    await auditFolder(tx, ctx, { verb, id, name: next.name, details: { parent_id } });
    return folderRecord(next);
  });
}

/** Deletes the folder with its sub-folders. Workflows in them are scheduled for deletion, never destroyed at once. */
export async function deleteFolder(ctx: FolderWriter, id: string): Promise<void> {
  const scheduled = await ctx.db.transaction(async (tx) => {
    await queries.lockTree(tx, ctx.actor.user_id);
    const row = await requireOwnFolder({ ...ctx, db: tx }, id);
    const doomed = subtree(await queries.ownFolders(tx, ctx.actor.user_id), id);
    const ids = doomed.map((folder) => folder.id);
    const workflows = await queries.scheduleDeletion(tx, ids, new Date(ctx.now()));
    await queries.deleteFolder(tx, id);
    const details = { folders: doomed.length, scheduled: workflows.length };
    await auditFolder(tx, ctx, { verb: 'deleted', id, name: row.name, details });
    for (const workflow of workflows) {
      await recordAudit(tx, ctx, {
        action: 'workflow.deletion_scheduled',
        object_kind: 'workflow',
        object_id: workflow.id,
        object_name: workflow.name,
        details: { with_folder: id },
      });
    }
    return workflows;
  });
  for (const workflow of scheduled) ctx.broadcast.publish('workflow_changed', workflow.id);
}

/** Puts a workflow where the caller wants it: the owner moves the workflow, others move it for themselves. */
export async function placeWorkflow(
  ctx: FolderWriter,
  { workflow_id, folder_id }: { workflow_id: string; folder_id: string | null },
): Promise<WorkflowSummary> {
  const { user_id } = ctx.actor;
  await ctx.db.transaction(async (tx) => {
    const inside = { ...ctx, db: tx };
    if (folder_id !== null) await requireOwnFolder(inside, folder_id);
    const { row, role } = await requireWorkflow(inside, workflow_id, 'read');
    if (role === 'owner' && row.scheduled_for_deletion && folder_id !== null) {
      throw conflict('The workflow is scheduled for deletion; restore it first');
    }
    const placement = { workflow_id, user_id, folder_id };
    if (role === 'owner') await queries.setOwnFolder(tx, workflow_id, folder_id);
    else {
      const direct = await queries.setShareFolder(tx, placement);
      await queries.setTeamPlacement(tx, direct ? { ...placement, folder_id: null } : placement);
    }
    await recordAudit(tx, ctx, {
      action: folder_id === null ? 'workflow.removed_from_folder' : 'workflow.moved_to_folder',
      object_kind: 'workflow',
      object_id: workflow_id,
      object_name: row.name,
      details: { folder_id },
    });
  });
  return workflowSummary(await requireWorkflow(ctx, workflow_id, 'read'));
}
