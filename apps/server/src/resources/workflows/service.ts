import type {
  ImportWarning,
  SavedWorkflow,
  Workflow,
  WorkflowDeletion,
  WorkflowProblem,
  WorkflowQueue,
  WorkflowSummary,
  WorkflowUse,
  WorkflowWithInputs,
} from '@millrace/contracts';
import type { WorkflowDocument } from '@millrace/engine';
import { invalidField } from '../../core/app-error.ts';
import { newId } from '../../core/ids.ts';
import { recordAudit } from '../../database/audit.ts';
import type { Db } from '../../database/database.ts';
import { publishEvent, workflowEvent } from '../../database/platform-events.ts';
import { readPlaces } from '../../execution/store/queue/places.ts';
import type { Needs } from '../../services.ts';
import { replaceMemoryShares } from '../agent-memory/shares.ts';
import { replaceTriggers } from '../triggers/publish.ts';
import { requireReadableSchedules } from '../triggers/require-schedules.ts';
import { isPublished, requireWorkflow, type VisibleWorkflow, type WorkflowRow } from './access.ts';
import { withNewAddresses } from './graph/addresses.ts';
import { graphFacts, graphInterface, graphProblems } from './graph/graph-facts.ts';
import { makeImportReport } from './graph/import-report.ts';
import * as queries from './queries.ts';
import { type Graph, versionedSettings } from './record.ts';
import { removeWorkflow } from './removal.ts';
import {
  announceChange,
  cleanGraph,
  insertVersionRow,
  requireReferences,
  type SaveInput,
  saveWorkflow,
  withoutUniqueViolation,
} from './save.ts';
import { DEFAULT_SETTINGS, givenSettings, withRenamedNodes } from './settings.ts';
import { readState, savedRecord, shown, stateRecord } from './state.ts';
import { type ListedRow, type ListOptions, listedSummary, listVisible } from './summaries.ts';

type Reader = Needs<'db' | 'actor'>;
type Writer = Needs<'db' | 'actor' | 'broadcast' | 'now'>;
/** Whether the draft is meant, where there is one. */
interface Which {
  readonly draft?: boolean | undefined;
}

const NO_GRAPH: Graph = { nodes: [], edges: [] };

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

/** The graph of each workflow by its id: what is published, or before that the draft. */
export async function graphsOfListed(
  db: Db,
  rows: readonly ListedRow[],
): Promise<Map<string, Graph | undefined>> {
  const firstDraft = (row: ListedRow) => (isPublished(row) ? null : row.draft_id);
  const versions = await queries.graphsOfVersions(
    db,
    rows.filter((row) => firstDraft(row) === null).map((row) => row.version_id),
  );
  const drafts = await queries.graphsOfDrafts(
    db,
    rows.flatMap((row) => firstDraft(row) ?? []),
  );
  return new Map(
    rows.map((row) => [row.id, versions.get(row.version_id) ?? drafts.get(firstDraft(row) ?? '')]),
  );
}

/** Lists the workflows that can be started and their inputs; three queries, however many workflows there are. */
export async function listWithInputs(ctx: Reader): Promise<WorkflowWithInputs[]> {
  const rows = await listVisible(ctx.db, ctx.actor.user_id, { sort: 'updated_at', offset: 0 });
  const graphs = await graphsOfListed(ctx.db, rows);
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    description: row.description,
    ...graphInterface(graphs.get(row.id) ?? NO_GRAPH),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }));
}

export interface NewWorkflow {
  readonly name: string;
  readonly description: string | null;
  readonly graph: Graph;
  /** Settings that a copy takes over. */
  readonly settings?: Partial<WorkflowRow>;
  /** Nothing is published yet. */
  readonly as_draft?: boolean | undefined;
  /** Changes and omissions of its import, the most important first. */
  readonly import_lines?: readonly ImportWarning[];
}

/** The published graph of a workflow, and its draft where there is one. */
export async function loadGraphs(db: Db, { row }: VisibleWorkflow): Promise<Graph[]> {
  const published = await queries.graphOfVersion(db, row.version_id);
  const draft = row.draft_id ? await queries.findDraft(db, row.draft_id) : undefined;
  return draft ? [published, draft.graph] : [published];
}

/** The draft where there is one, else what is published. Both were checked when they were saved. */
export async function presentGraph(db: Db, visible: VisibleWorkflow): Promise<WorkflowDocument> {
  return ((await loadGraphs(db, visible)).at(-1) ?? NO_GRAPH) as WorkflowDocument;
}

async function insertState(
  db: Db,
  ctx: Needs<'actor' | 'now'>,
  { graph, settings, as_draft = false, import_lines = [], ...texts }: NewWorkflow,
) {
  const id = newId();
  const version_id = newId();
  const draft_id = as_draft && graph.nodes.length > 0 ? newId() : null;
  const now = new Date(ctx.now());
  const owner_id = ctx.actor.user_id;
  const ids = { id, owner_id, version_id, draft_id };
  const row = { ...DEFAULT_SETTINGS, ...settings, ...texts, ...graphFacts(graph), ...ids };
  const import_report = makeImportReport(import_lines, { nodes: graph.nodes, at: now });
  await queries.insertWorkflow(db, { ...row, import_report, created_at: now, updated_at: now });
  const published = as_draft ? NO_GRAPH : graph;
  requireReadableSchedules(published);
  const version_number = as_draft ? 0 : 1;
  await insertVersionRow(
    db,
    { id: version_id, workflow_id: id, version_number, created_by_id: owner_id, created_at: now },
    { ...texts, graph: published, settings: versionedSettings(row) },
  );
  if (draft_id)
    await queries.insertDraft(db, {
      ...graph,
      id: draft_id,
      workflow_id: id,
      saved_by_id: owner_id,
      saved_at: now,
    });
  await queries.replaceReferences(db, id, [graph]);
  const active = row.active ?? true;
  await replaceTriggers(db, { workflow_id: id, version_id, graph: published, active, at: now });
  await replaceMemoryShares({ db, actor: ctx.actor }, id, published);
  const subject = { id, name: texts.name, owner_id };
  await publishEvent(db, workflowEvent('workflow.created', subject, { actor: ctx.actor, at: now }));
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
  announceChange(ctx, visible.row.id, visible.row.mcp_enabled ? { tool_users: [ctx.actor.user_id] } : {});
  const draft = visible.row.draft_id ? { graph: input.graph, saved_by_id: ctx.actor.user_id } : undefined;
  return stateRecord({ visible, graph: input.graph, draft }, false);
}

/**
 * Lets the nodes of a new workflow lead elsewhere: to one that was made after it. Only in the transaction that has made
 * it, while its first version is not visible yet.
 */
export async function relinkNewWorkflow(db: Db, id: string, graph: Graph): Promise<void> {
  await queries.replaceNodes(db, id, graph.nodes);
  await queries.replaceReferences(db, id, [graph]);
}

export async function createWorkflow(
  ctx: Writer,
  input: SaveInput & { name: string },
  { draft: as_draft }: Which = {},
): Promise<Workflow> {
  const graph = cleanGraph({ nodes: input.nodes ?? [], edges: input.edges ?? [] });
  const description = input.description || null;
  const settings = givenSettings(input);
  await requireReferences(ctx.db, { owner_id: ctx.actor.user_id }, settings);
  const given = { name: input.name, description, graph, settings, as_draft };
  return addWorkflow(ctx, given, 'workflow.created').catch(withoutUniqueViolation);
}

export async function readWorkflow(ctx: Reader, id: string, which: Which): Promise<Workflow> {
  return stateRecord(await readState(ctx, id, which), which.draft === true);
}

export async function listProblems(ctx: Reader, id: string, which: Which): Promise<WorkflowProblem[]> {
  return graphProblems(shown(await readState(ctx, id, which), which.draft === true).graph);
}

/** Which nodes call the workflow, so that a deletion can show what it breaks; only what the actor can see. */
export async function listUses(ctx: Reader, id: string): Promise<WorkflowUse[]> {
  const { row } = await requireWorkflow(ctx, id, 'read');
  return queries.referencesTo(ctx.db, ctx.actor.user_id, row.id);
}

export async function readQueue(ctx: Reader & Needs<'sql'>, id: string): Promise<WorkflowQueue> {
  const { row } = await requireWorkflow(ctx, id, 'read');
  return readPlaces(ctx.sql, row.id);
}

export async function updateWorkflow(
  ctx: Writer,
  id: string,
  { input, which }: { input: SaveInput; which: Which },
): Promise<SavedWorkflow> {
  return savedRecord(await saveWorkflow(ctx, id, input, which), which.draft === true);
}

/** Own deleted workflows whose runs are still being deleted. */
export async function listDeletions(ctx: Reader): Promise<WorkflowDeletion[]> {
  const rows = await queries.queryDeletions(ctx.db, ctx.actor.user_id);
  return rows.map(({ requested_at, ...row }) => ({
    ...row,
    requested_at: requested_at.toISOString(),
  }));
}

/** For the owner alone. */
export async function deleteWorkflow(ctx: Writer, id: string): Promise<void> {
  const announce = await ctx.db.transaction(async (tx) => {
    await queries.lockWorkflow(tx, id);
    const { row } = await requireWorkflow({ ...ctx, db: tx }, id, 'own');
    return removeWorkflow(tx, ctx, { row });
  });
  announce();
}

/** Settings that a copy takes over. The address of the portal is unique, and the secret stays with its owner. */
function copiedSettings(row: WorkflowRow, isOwner: boolean): Partial<WorkflowRow> {
  const { auth_header_value, ...settings } = versionedSettings(row);
  return {
    ...settings,
    auth_header_value: isOwner ? auth_header_value : null,
    workflow_timeout_seconds: row.workflow_timeout_seconds,
    concurrency_limit: row.concurrency_limit,
    concurrency_key: row.concurrency_key,
    queue_limit: row.queue_limit,
    queue_overflow: row.queue_overflow,
    priority: row.priority,
    run_budget_usd: row.run_budget_usd,
    daily_budget_usd: row.daily_budget_usd,
    strict_references: row.strict_references,
    portal_stream_enabled: row.portal_stream_enabled,
    portal_file_upload_enabled: row.portal_file_upload_enabled,
    portal_file_config: row.portal_file_config,
    portal_rate_limit_requests: row.portal_rate_limit_requests,
    portal_rate_limit_window_seconds: row.portal_rate_limit_window_seconds,
    portal_allowed_origins: row.portal_allowed_origins,
    portal_appearance: row.portal_appearance,
    ...(isOwner ? { folder_id: row.folder_id, error_workflow_id: row.error_workflow_id } : {}),
  };
}

/** A copy that belongs to the actor; a collaborator may make one too. What was never published is not by being copied. */
export async function duplicateWorkflow(
  ctx: Writer,
  id: string,
  { name, draft = false }: Which & { name?: string | null | undefined },
): Promise<Workflow> {
  const state = await readState(ctx, id, { draft });
  const { row, role } = state.visible;
  const { graph, ids } = withNewAddresses(shown(state, draft).graph);
  const settings = copiedSettings(row, role === 'owner');
  const copy = {
    name: name || `${row.name.slice(0, 248)} (copy)`,
    description: row.description,
    graph,
    settings: withRenamedNodes(settings, ids),
    as_draft: draft || !isPublished(state.visible),
  };
  return addWorkflow(ctx, copy, 'workflow.duplicated');
}

/** Whether the portal slug is not used by another workflow. */
export const isSlugFree = async (db: Db, id: string, slug: string): Promise<boolean> =>
  !(await queries.slugIsTaken(db, slug, id));
