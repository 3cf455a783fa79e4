import type {
  GraphEdge,
  GraphNode,
  SavedWorkflow,
  Workflow,
  WorkflowProblem,
  WorkflowSummary,
  WorkflowUse,
  WorkflowWithInputs,
} from '@millrace/contracts';
import { invalidField } from '../../core/app-error.ts';
import { recordAudit } from '../../core/audit.ts';
import type { Needs } from '../../core/context.ts';
import { newId } from '../../core/ids.ts';
import type { Db } from '../../database/database.ts';
import { requireWorkflow, type WorkflowRow } from './access.ts';
import { workflowLinks } from './foreign-references.ts';
import { graphFacts, graphInterface, graphProblems } from './graph-facts.ts';
import * as queries from './queries.ts';
import { type Graph, versionedSettings, workflowRecord } from './record.ts';
import { announceChange, cleanGraph, insertVersionRow, type SaveInput, saveWorkflow } from './save.ts';
import { DEFAULT_SETTINGS } from './settings.ts';
import { type ListOptions, listedSummary, listVisible } from './summaries.ts';

type Reader = Needs<'db' | 'actor'>;
type Writer = Needs<'db' | 'actor' | 'broadcast' | 'now'>;

function requireCursor({ before, before_id, sort }: ListOptions): void {
  if ((before === undefined) !== (before_id === undefined))
    throw invalidField(['query', 'before'], 'goes together with before_id');
  if (before !== undefined && sort !== 'updated_at')
    throw invalidField(['query', 'before'], 'pages a list that is sorted by updated_at');
}

export async function listWorkflows(ctx: Reader, options: ListOptions): Promise<WorkflowSummary[]> {
  requireCursor(options);
  const rows = await listVisible(ctx.db, ctx.actor.user_id, options);
  return rows.map((row) => listedSummary(row, ctx.actor.user_id));
}

/** What can be started and with which inputs; two queries, however many workflows there are. */
export async function listWithInputs(ctx: Reader): Promise<WorkflowWithInputs[]> {
  const rows = await listVisible(ctx.db, ctx.actor.user_id, { sort: 'updated_at', offset: 0 });
  const versions = rows.map((row) => row.version_id);
  const graphs = await queries.graphsOfVersions(ctx.db, versions);
  return rows.map((row) => {
    const graph = graphs.get(row.version_id) ?? { nodes: [], edges: [] };
    return {
      id: row.id,
      name: row.name,
      description: row.description,
      ...graphInterface(graph),
      created_at: row.created_at.toISOString(),
      updated_at: row.updated_at.toISOString(),
    };
  });
}

export interface NewWorkflow {
  readonly name: string;
  readonly description: string | null;
  readonly graph: Graph;
  /** Settings that a copy takes over. */
  readonly settings?: Partial<WorkflowRow>;
}

async function insertState(db: Db, ctx: Needs<'actor' | 'now'>, { graph, settings, ...texts }: NewWorkflow) {
  const id = newId();
  const version_id = newId();
  const now = new Date(ctx.now());
  const owner_id = ctx.actor.user_id;
  const row = { ...DEFAULT_SETTINGS, ...settings, ...texts, ...graphFacts(graph), id, owner_id, version_id };
  await queries.insertWorkflow(db, { ...row, created_at: now, updated_at: now });
  await insertVersionRow(
    db,
    { id: version_id, workflow_id: id, version_number: 1, created_by_id: owner_id, created_at: now },
    { ...texts, graph, settings: versionedSettings(row) },
  );
  await queries.replaceReferences(db, id, workflowLinks(graph));
  return id;
}

/** Stores a workflow with its first version; it belongs to the actor. */
export async function addWorkflow(ctx: Writer, input: NewWorkflow, action: string): Promise<Workflow> {
  const visible = await ctx.db.transaction(async (tx) => {
    const id = await insertState(tx, ctx, input);
    await recordAudit(tx, ctx, {
      action,
      object_kind: 'workflow',
      object_id: id,
      object_name: input.name,
    });
    return requireWorkflow({ ...ctx, db: tx }, id, 'own');
  });
  announceChange(ctx, visible.row.id);
  return workflowRecord(visible, input.graph);
}

/**
 * Lets the nodes of a new workflow lead elsewhere: to one that was made after it. Only in the transaction that has made
 * it; nobody has seen its first version yet.
 */
export async function relinkNewWorkflow(db: Db, id: string, graph: Graph): Promise<void> {
  await queries.replaceNodes(db, id, graph.nodes);
  await queries.replaceReferences(db, id, workflowLinks(graph));
}

export function createWorkflow(
  ctx: Writer,
  input: {
    name: string;
    description?: string | null | undefined;
    nodes?: GraphNode[] | null | undefined;
    edges?: GraphEdge[] | null | undefined;
  },
): Promise<Workflow> {
  const graph = cleanGraph({ nodes: input.nodes ?? [], edges: input.edges ?? [] });
  const description = input.description || null;
  return addWorkflow(ctx, { name: input.name, description, graph }, 'workflow.created');
}

export async function readWorkflow(ctx: Reader, id: string): Promise<Workflow> {
  const visible = await requireWorkflow(ctx, id, 'read');
  return workflowRecord(visible, await queries.graphOfVersion(ctx.db, visible.row.version_id));
}

export async function listProblems(ctx: Reader, id: string): Promise<WorkflowProblem[]> {
  const { row } = await requireWorkflow(ctx, id, 'read');
  return graphProblems(await queries.graphOfVersion(ctx.db, row.version_id));
}

/** Which nodes call the workflow, so that a deletion can tell what it breaks; only what the actor can see. */
export async function listUses(ctx: Reader, id: string): Promise<WorkflowUse[]> {
  const { row } = await requireWorkflow(ctx, id, 'read');
  return queries.referencesTo(ctx.db, ctx.actor.user_id, row.id);
}

export async function updateWorkflow(ctx: Writer, id: string, input: SaveInput): Promise<SavedWorkflow> {
  const { visible, graph } = await saveWorkflow(ctx, id, input);
  return { ...workflowRecord(visible, graph), problems: graphProblems(graph) };
}

/** Removes the workflow with everything that hangs on it; runs that are under way are told to stop. */
export async function deleteWorkflow(ctx: Writer, id: string): Promise<void> {
  const open = await ctx.db.transaction(async (tx) => {
    await queries.lockWorkflow(tx, id);
    const { row } = await requireWorkflow({ ...ctx, db: tx }, id, 'own');
    const open = await queries.openRunIds(tx, id);
    await queries.deleteWorkflow(tx, id);
    await recordAudit(tx, ctx, {
      action: 'workflow.deleted',
      object_kind: 'workflow',
      object_id: id,
      object_name: row.name,
    });
    return open;
  });
  announceChange(ctx, id);
  ctx.broadcast.publish('access_changed', `workflow:${id}`);
  for (const run_id of open) ctx.broadcast.publish('cancel', run_id);
}

/** Settings that a copy takes over. The address of the portal is unique, and the secret stays with its owner. */
function copiedSettings(row: WorkflowRow, isOwner: boolean): Partial<WorkflowRow> {
  const { auth_header_value, ...settings } = versionedSettings(row);
  return {
    ...settings,
    auth_header_value: isOwner ? auth_header_value : null,
    workflow_timeout_seconds: row.workflow_timeout_seconds,
    portal_stream_enabled: row.portal_stream_enabled,
    portal_file_upload_enabled: row.portal_file_upload_enabled,
    portal_file_config: row.portal_file_config,
    ...(isOwner ? { folder_id: row.folder_id, error_workflow_id: row.error_workflow_id } : {}),
  };
}

/** A copy that belongs to the actor; a collaborator may make one too. */
export async function duplicateWorkflow(
  ctx: Writer,
  id: string,
  name: string | null | undefined,
): Promise<Workflow> {
  const { row, role } = await requireWorkflow(ctx, id, 'read');
  const graph = await queries.graphOfVersion(ctx.db, row.version_id);
  const copy = {
    name: name || `${row.name.slice(0, 248)} (copy)`,
    description: row.description,
    graph,
    settings: copiedSettings(row, role === 'owner'),
  };
  return addWorkflow(ctx, copy, 'workflow.duplicated');
}
