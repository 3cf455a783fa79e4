import {
  GRAPH_LIMITS,
  type GraphEdge,
  type GraphEdgeInput,
  type GraphNode,
  type SettingsInput,
  type VersionedSettings,
} from '@millrace/contracts';
import { isBlockedKey, respelledHandles, type WorkflowDocument } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { AppError, conflict, invalidField } from '../../core/app-error.ts';
import { newId } from '../../core/ids.ts';
import { recordAudit } from '../../database/audit.ts';
import type { Db } from '../../database/database.ts';
import { publishEvent, workflowEvent } from '../../database/platform-events.ts';
import { sqlWithin } from '../../database/sql-within.ts';
import { followSettings } from '../../execution/store/queue/follow-settings.ts';
import type { Needs } from '../../services.ts';
import { replaceMemoryShares } from '../agent-memory/shares.ts';
import { requirePasses } from '../publish-gates/check.ts';
import { replaceTriggers } from '../triggers/publish.ts';
import { requireReadableSchedules } from '../triggers/require-schedules.ts';
import {
  canSeeWorkflow,
  isPublished,
  requireWorkflow,
  type VisibleWorkflow,
  type WorkflowRow,
} from './access.ts';
import { cleanJson } from './graph/clean-json.ts';
import { graphFacts } from './graph/graph-facts.ts';
import * as queries from './queries.ts';
import { type Graph, VERSIONED, versionedSettings } from './record.ts';
import { type SettingsChange, settingsChange } from './settings.ts';
import { lockedState, requireFresh, type State, shown } from './state.ts';

export type SaveContext = Needs<'db' | 'actor' | 'broadcast' | 'now'>;

export interface SaveInput extends Partial<SettingsInput> {
  name?: string | null | undefined;
  description?: string | null | undefined;
  nodes?: GraphNode[] | null | undefined;
  edges?: GraphEdgeInput[] | null | undefined;
  base_updated_at?: string | null | undefined;
}

/** The changes that a save writes; nothing of them is compared any more. */
export interface StateChange {
  /** Columns beside the graph. */
  readonly change: Partial<WorkflowRow>;
  /** Published as a version. */
  readonly graph?: Graph;
  /** Kept as the draft; null: there is none any more. */
  readonly draft?: Graph | null;
  readonly note?: string | null;
  /** Why the owner publishes it although its evals have not passed. */
  readonly override_reason?: string | null | undefined;
  /** A run of what is published has changed it, as its nodes say; evals have no part in that. */
  readonly by_run?: boolean;
  /** A new name or description goes into the next version, and makes none. */
  readonly as_draft?: boolean;
  /** Of the audit entry, unless it is `workflow.updated`. */
  readonly action?: string;
}

/** The part of a state that a version keeps. */
interface VersionContent {
  readonly name: string;
  readonly description: string | null;
  readonly graph: Graph;
  readonly settings: VersionedSettings;
  readonly note?: string | null | undefined;
  readonly override_reason?: string | null;
}

const sameJson = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Outputs are kept by label, so a label is a key too; here it is still known which node is meant. */
function requireSafeLabels(nodes: readonly GraphNode[], place: readonly string[]): void {
  for (const [index, { data }] of nodes.entries()) {
    const { label } = data;
    if (typeof label !== 'string' || !isBlockedKey(label)) continue;
    const loc = [...place, 'nodes', index, 'data', 'label'];
    throw invalidField(loc, `"${label}" is a reserved name; give the node another label`, 'reserved_label');
  }
}

/** Edges with an id each and without handles that mean the default one. */
function completeEdges(edges: readonly GraphEdgeInput[]): GraphEdge[] {
  const taken = new Set(edges.map(({ id }) => id));
  return edges.map((edge, index) => {
    const { id, sourceHandle, targetHandle, ...rest } = edge;
    return {
      ...rest,
      id: id || freeId(`edge_${edge.source}_${edge.target}_${index}`, taken),
      ...(sourceHandle ? { sourceHandle } : {}),
      ...(targetHandle ? { targetHandle } : {}),
    };
  });
}

function freeId(wanted: string, taken: Set<string | null | undefined>): string {
  let free = wanted.slice(-GRAPH_LIMITS.id_length);
  for (let count = 2; taken.has(free); count++) free = `${wanted}_${count}`.slice(-GRAPH_LIMITS.id_length);
  taken.add(free);
  return free;
}

/** Handles in the spelling of the definitions, so that editor, differences and exports know one name for each. */
function withNormalHandles({ nodes, edges }: Graph): Graph {
  const normal = [...edges];
  for (const { index, port } of respelledHandles({ nodes, edges } as WorkflowDocument, catalog)) {
    const edge = normal[index];
    if (edge) normal[index] = { ...edge, sourceHandle: port };
  }
  return { nodes, edges: normal };
}

/**
 * Lists of a graph as they are stored; nothing else of the input survives.
 *
 * @param place of the graph in the request, for messages
 */
export function cleanGraph(
  input: { nodes: GraphNode[]; edges: GraphEdgeInput[] },
  place: readonly string[] = ['body'],
): Graph {
  requireSafeLabels(input.nodes, place);
  return withNormalHandles({
    nodes: cleanJson(input.nodes, [...place, 'nodes']),
    edges: cleanJson(completeEdges(input.edges), [...place, 'edges']),
  });
}

function textChange(row: WorkflowRow, input: SaveInput): Partial<WorkflowRow> {
  const change: Partial<WorkflowRow> = {};
  if (input.name && input.name !== row.name) change.name = input.name;
  if (typeof input.description === 'string') {
    const description = input.description === '' ? null : input.description;
    if (description !== row.description) change.description = description;
  }
  return change;
}

/** @param id none yet for a new workflow */
export async function requireReferences(
  db: Db,
  { id, owner_id }: { id?: string; owner_id: string },
  change: SettingsChange,
): Promise<void> {
  if (change.portal_slug && (await queries.slugIsTaken(db, change.portal_slug, id))) {
    throw conflict(`The portal slug "${change.portal_slug}" is in use`);
  }
  if (change.error_workflow_id && !(await canSeeWorkflow(db, owner_id, change.error_workflow_id))) {
    throw invalidField(['body', 'error_workflow_id'], 'is no workflow that you can see');
  }
}

/** Settings apply at once, and are part of versions; before the first one there is nothing that they could be part of. */
function needsVersion({ visible }: State, { change, graph, as_draft }: StateChange): boolean {
  if (graph) return true;
  const kept: readonly string[] = as_draft ? VERSIONED : ['name', 'description', ...VERSIONED];
  return isPublished(visible) && Object.keys(change).some((key) => kept.includes(key));
}

export function withoutUniqueViolation(error: unknown): never {
  const { cause } = error as { cause?: { code?: string; constraint?: string } };
  if (cause?.code === '23505' && cause.constraint === 'workflows_portal_slug') {
    throw conflict('The portal slug is in use');
  }
  throw error;
}

export async function insertVersionRow(
  db: Db,
  identity: {
    id: string;
    workflow_id: string;
    version_number: number;
    created_by_id: string;
    created_at: Date;
  },
  content: VersionContent,
): Promise<void> {
  const { graph, ...rest } = content;
  await queries.insertVersion(db, { ...identity, ...rest, nodes: graph.nodes, edges: graph.edges });
}

async function writeVersion(
  ctx: Needs<'db' | 'actor'>,
  before: State,
  { written, at, override_reason }: { written: StateChange; at: Date; override_reason: string | null },
): Promise<string> {
  const { row, version_number } = before.visible;
  if (!needsVersion(before, written)) return row.version_id;
  const next = { ...row, ...written.change };
  const { name, description } = next;
  const id = newId();
  await insertVersionRow(
    ctx.db,
    {
      id,
      workflow_id: row.id,
      version_number: version_number + 1,
      created_by_id: ctx.actor.user_id,
      created_at: at,
    },
    {
      name,
      description,
      graph: written.graph ?? before.graph,
      settings: versionedSettings(next),
      note: written.note,
      override_reason,
    },
  );
  return id;
}

async function writeDraft(
  ctx: Needs<'db' | 'actor'>,
  { row }: VisibleWorkflow,
  { draft, at }: { draft: Graph | null | undefined; at: Date },
): Promise<string | null> {
  if (draft === undefined) return row.draft_id;
  const id = draft && newId();
  const saved_by_id = ctx.actor.user_id;
  if (id) await queries.insertDraft(ctx.db, { ...draft, id, workflow_id: row.id, saved_by_id, saved_at: at });
  if (row.draft_id) await queries.dropDraft(ctx.db, row.draft_id);
  return id;
}

/** Writes what is kept beside the graphs: facts of the one that counts, and links of both, for either may break. */
async function writeGraphFacts(db: Db, { visible, graph, draft }: State) {
  await queries.replaceReferences(db, visible.row.id, [graph, ...(draft ? [draft.graph] : [])]);
  return graphFacts(isPublished(visible) ? graph : (draft?.graph ?? graph));
}

/** A draft is saved every few seconds; the log says when it begins and when another person continues it. */
function changedFields(ctx: Needs<'actor'>, before: State, { change, graph, draft }: StateChange): string[] {
  const continues = before.draft?.saved_by_id === ctx.actor.user_id;
  return [...Object.keys(change), ...(graph ? ['graph'] : []), ...(draft && !continues ? ['draft'] : [])];
}

/** @returns why the graph is published although its evals have not passed; null where nothing has to pass */
async function overrideReason(
  { db }: Needs<'db'>,
  { visible }: State,
  { graph, by_run, override_reason }: StateChange,
): Promise<string | null> {
  if (!graph || by_run) return null;
  return requirePasses(db, { workflow_id: visible.row.id, graph, role: visible.role }, override_reason);
}

/** Writes a changed state under the lock of the workflow, so that `updated_at` strictly increases. */
export async function writeState(
  ctx: Needs<'db' | 'actor' | 'now'>,
  before: State,
  written: StateChange,
): Promise<State> {
  const { change, graph, draft, note } = written;
  const { row } = before.visible;
  if (graph && !written.by_run) requireReadableSchedules(graph);
  const at = new Date(Math.max(ctx.now(), row.updated_at.getTime() + 1));
  const override_reason = await overrideReason(ctx, before, written);
  const version_id = await writeVersion(ctx, before, { written, at, override_reason });
  const draft_id = await writeDraft(ctx, before.visible, { draft, at });
  const version_number = before.visible.version_number + (version_id === row.version_id ? 0 : 1);
  const after: State = {
    visible: { ...before.visible, row: { ...row, ...change }, version_number },
    graph: graph ?? before.graph,
    draft:
      draft === undefined
        ? before.draft
        : (draft && { graph: draft, saved_by_id: ctx.actor.user_id }) || undefined,
  };
  const { active } = after.visible.row;
  if (graph || change.active !== undefined)
    await replaceTriggers(ctx.db, { workflow_id: row.id, version_id, graph: after.graph, active, at });
  if (graph) await replaceMemoryShares(ctx, row.id, graph);
  const facts = graph || draft !== undefined ? await writeGraphFacts(ctx.db, after) : {};
  await queries.updateWorkflow(ctx.db, row.id, { ...change, ...facts, version_id, draft_id, updated_at: at });
  if (change.concurrency_limit !== undefined || change.priority !== undefined)
    await followSettings(sqlWithin(ctx.db), row.id, after.visible.row);
  const fields = changedFields(ctx, before, written);
  if (written.action || fields.length > 0)
    await recordAudit(ctx.db, ctx, {
      action: written.action ?? 'workflow.updated',
      object_kind: 'workflow',
      object_id: row.id,
      object_name: after.visible.row.name,
      owner_id: row.owner_id,
      details: {
        ...(written.action ? { version_number, ...(note ? { note } : {}) } : { fields }),
        ...(override_reason ? { override_reason } : {}),
      },
    });
  if (isSeenOutside(written))
    await publishEvent(
      ctx.db,
      workflowEvent('workflow.updated', after.visible.row, { actor: ctx.actor, at }),
    );
  return {
    ...after,
    visible: await requireWorkflow(ctx, row.id, 'read'),
    tool_users: await toolUsersAfter(ctx.db, row, written),
  };
}

/** Whose MCP clients see the change; a tool that is switched off is no one's any more, and its owner hears of it. */
async function toolUsersAfter(
  db: Db,
  { id, owner_id }: WorkflowRow,
  { graph, change }: StateChange,
): Promise<string[]> {
  const switched = 'mcp_enabled' in change ? [owner_id] : [];
  if (!graph && !('name' in change) && !('description' in change)) return switched;
  return [...new Set([...switched, ...(await queries.toolUsers(db, id))])];
}

/** Whether anything but the draft changes, which is all that others hear of. */
const isSeenOutside = ({ change, graph }: StateChange): boolean =>
  graph !== undefined || Object.keys(change).length > 0;

/**
 * Notifies every process that caches the workflow, and the MCP clients that have it as a tool; after the commit, never
 * before.
 */
export function announceChange(
  ctx: Needs<'broadcast'>,
  id: string,
  { tool_users = [] }: Pick<State, 'tool_users'> = {},
): void {
  ctx.broadcast.publish('workflow_changed', id);
  for (const user_id of tool_users) ctx.broadcast.publish('mcp_tools_changed', user_id);
}

/** A list that is not given stays; a change of settings alone rewrites no handle. */
function graphAfter(input: SaveInput, clean: Graph, before: Graph): Graph {
  if (!input.nodes && !input.edges) return before;
  return withNormalHandles({
    nodes: input.nodes ? clean.nodes : before.nodes,
    edges: input.edges ? clean.edges : before.edges,
  });
}

/**
 * Decides what becomes of the graph that a save leads to. A published graph is no draft, also when it was edited back
 * to it.
 */
function graphChange(before: State, graph: Graph, as_draft: boolean): Pick<StateChange, 'graph' | 'draft'> {
  const is_live = isPublished(before.visible) && sameJson(graph, before.graph);
  if (!as_draft) return is_live ? {} : { graph, draft: null };
  if (sameJson(graph, shown(before, true).graph)) return {};
  return { draft: is_live ? null : graph };
}

/**
 * Saves what differs: a graph as a version, or as the draft. It may be incomplete: people save work in progress. Of two
 * writers that started from the same state exactly one wins; the other gets a conflict with the winner's state.
 */
export async function saveWorkflow(
  ctx: SaveContext,
  id: string,
  input: SaveInput,
  { draft: as_draft = false }: { draft?: boolean | undefined } = {},
): Promise<State> {
  const clean = cleanGraph({ nodes: input.nodes ?? [], edges: input.edges ?? [] });
  const is_given = Boolean(input.nodes ?? input.edges);
  const { saved, written } = await ctx.db
    .transaction(async (tx) => {
      const inside = { ...ctx, db: tx };
      const before = await lockedState(inside, id, 'edit');
      await requireFresh(inside, input.base_updated_at, before, as_draft);
      const settings = settingsChange(before.visible.row, input, before.visible.role);
      await requireReferences(tx, before.visible.row, settings);
      const graph = graphAfter(input, clean, shown(before, as_draft).graph);
      const change = { ...textChange(before.visible.row, input), ...settings };
      if (settings.portal_enabled === false) await queries.endPortalSessions(tx, id);
      const written: StateChange = {
        change,
        as_draft,
        ...(is_given ? graphChange(before, graph, as_draft) : {}),
      };
      const changes = isSeenOutside(written) || written.draft !== undefined;
      return { saved: changes ? await writeState(inside, before, written) : before, written };
    })
    .catch((error: unknown) =>
      error instanceof AppError ? Promise.reject(error) : withoutUniqueViolation(error),
    );
  if (isSeenOutside(written)) announceChange(ctx, id, saved);
  return saved;
}
