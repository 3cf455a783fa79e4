import type { GraphEdge, GraphNode, SettingsInput, VersionedSettings } from '@millrace/contracts';
import { isBlockedKey } from '@millrace/engine';
import { AppError, conflict, invalidField } from '../../core/app-error.ts';
import { recordAudit } from '../../core/audit.ts';
import type { Needs } from '../../core/context.ts';
import { newId } from '../../core/ids.ts';
import type { Db } from '../../database/database.ts';
import { canSeeWorkflow, requireWorkflow, type VisibleWorkflow, type WorkflowRow } from './access.ts';
import { cleanJson } from './clean-json.ts';
import { workflowLinks } from './foreign-references.ts';
import { graphFacts } from './graph-facts.ts';
import * as queries from './queries.ts';
import { type Graph, VERSIONED, versionedSettings, workflowRecord } from './record.ts';
import { type SettingsChange, settingsChange } from './settings.ts';

export type SaveContext = Needs<'db' | 'actor' | 'broadcast' | 'now'>;

export interface SaveInput extends SettingsInput {
  name?: string | null | undefined;
  description?: string | null | undefined;
  nodes?: GraphNode[] | null | undefined;
  edges?: GraphEdge[] | null | undefined;
  base_updated_at?: string | null | undefined;
}

interface Saved {
  readonly visible: VisibleWorkflow;
  readonly graph: Graph;
}

/** What a version keeps of a state. */
interface VersionContent {
  readonly name: string;
  readonly description: string | null;
  readonly graph: Graph;
  readonly settings: VersionedSettings;
}

const sameJson = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** Outputs are kept by label, so a label is a key too; here it can still be told which node is meant. */
function requireSafeLabels(nodes: readonly GraphNode[]): void {
  for (const [index, { data }] of nodes.entries()) {
    const { label } = data;
    if (typeof label !== 'string' || !isBlockedKey(label)) continue;
    const loc = ['body', 'nodes', index, 'data', 'label'];
    throw invalidField(loc, `"${label}" is a reserved name; give the node another label`, 'reserved_label');
  }
}

/** Lists of a graph as they are stored; nothing else of the input survives. */
export function cleanGraph(input: Graph): Graph {
  requireSafeLabels(input.nodes);
  return {
    nodes: cleanJson(input.nodes, ['body', 'nodes']),
    edges: cleanJson(input.edges, ['body', 'edges']),
  };
}

/** Refused when the state that the change was made on is not the current one any more, with the current one in hand. */
function requireFresh(base: string | null | undefined, { visible, graph }: Saved): void {
  if (!base || Date.parse(base) === visible.row.updated_at.getTime()) return;
  const updated_at = visible.row.updated_at.toISOString();
  throw conflict('Somebody else has saved this workflow since you opened it', {
    updated_at,
    current: workflowRecord(visible, graph),
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

async function requireReferences(db: Db, visible: VisibleWorkflow, change: SettingsChange): Promise<void> {
  const { id, owner_id } = visible.row;
  if (change.portal_slug && (await queries.slugIsTaken(db, change.portal_slug, id))) {
    throw conflict(`The portal slug "${change.portal_slug}" is in use`);
  }
  if (change.error_workflow_id && !(await canSeeWorkflow(db, owner_id, change.error_workflow_id))) {
    throw invalidField(['body', 'error_workflow_id'], 'is no workflow that you can see');
  }
}

function needsVersion(change: Partial<WorkflowRow>, graphChanged: boolean): boolean {
  const kept = ['name', 'description', ...VERSIONED];
  return graphChanged || Object.keys(change).some((key) => kept.includes(key));
}

function withoutUniqueViolation(error: unknown): never {
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

/** Writes a changed state under the lock of the workflow, so that `updated_at` strictly increases. */
export async function writeState(
  ctx: Needs<'db' | 'actor' | 'now'>,
  before: Saved,
  { change, graph }: { change: Partial<WorkflowRow>; graph: Graph | undefined },
): Promise<Saved> {
  const { row } = before.visible;
  const now = new Date(Math.max(ctx.now(), row.updated_at.getTime() + 1));
  const next = { ...row, ...change };
  const current = graph ?? before.graph;
  const version_id = needsVersion(change, graph !== undefined) ? newId() : row.version_id;
  if (version_id !== row.version_id) {
    await insertVersionRow(
      ctx.db,
      {
        id: version_id,
        workflow_id: row.id,
        version_number: before.visible.version_number + 1,
        created_by_id: ctx.actor.user_id,
        created_at: now,
      },
      { name: next.name, description: next.description, graph: current, settings: versionedSettings(next) },
    );
  }
  if (graph) await queries.replaceReferences(ctx.db, row.id, workflowLinks(graph));
  const facts = graph ? graphFacts(graph) : {};
  await queries.updateWorkflow(ctx.db, row.id, { ...change, ...facts, version_id, updated_at: now });
  await recordAudit(ctx.db, ctx, {
    action: 'workflow.updated',
    object_kind: 'workflow',
    object_id: row.id,
    object_name: next.name,
    owner_id: row.owner_id,
    details: { fields: [...Object.keys(change), ...(graph ? ['graph'] : [])] },
  });
  return { visible: await requireWorkflow(ctx, row.id, 'read'), graph: current };
}

/** The state of a workflow that nobody else can change until the transaction ends. */
export async function lockedState(
  ctx: Needs<'db' | 'actor'>,
  id: string,
  need: 'edit' | 'own',
): Promise<Saved> {
  await queries.lockWorkflow(ctx.db, id);
  // Read after the lock was granted, so that this is what the writer before us left.
  const visible = await requireWorkflow(ctx, id, need);
  return { visible, graph: await queries.graphOfVersion(ctx.db, visible.row.version_id) };
}

/** Tells everybody who keeps something about the workflow in memory; after the commit, never before. */
export function announceChange(ctx: Needs<'broadcast'>, id: string): void {
  ctx.broadcast.publish('workflow_changed', id);
}

/**
 * Saves what differs. A graph may be incomplete: people save work in progress. Of two writers that started from the
 * same state exactly one wins; the other gets a conflict with the winner's state.
 */
export async function saveWorkflow(ctx: SaveContext, id: string, input: SaveInput): Promise<Saved> {
  const clean = cleanGraph({ nodes: input.nodes ?? [], edges: input.edges ?? [] });
  const { saved, changed } = await ctx.db
    .transaction(async (tx) => {
      const inside = { ...ctx, db: tx };
      const before = await lockedState(inside, id, 'edit');
      requireFresh(input.base_updated_at, before);
      const settings = settingsChange(before.visible.row, input, before.visible.role);
      await requireReferences(tx, before.visible, settings);
      const graph: Graph = {
        nodes: input.nodes ? clean.nodes : before.graph.nodes,
        edges: input.edges ? clean.edges : before.graph.edges,
      };
      const change = { ...textChange(before.visible.row, input), ...settings };
      const graphChanged = !sameJson(graph, before.graph);
      if (!graphChanged && Object.keys(change).length === 0) return { saved: before, changed: false };
      const saved = await writeState(inside, before, { change, graph: graphChanged ? graph : undefined });
      return { saved, changed: true };
    })
    .catch((error: unknown) =>
      error instanceof AppError ? Promise.reject(error) : withoutUniqueViolation(error),
    );
  if (changed) announceChange(ctx, id);
  return saved;
}
