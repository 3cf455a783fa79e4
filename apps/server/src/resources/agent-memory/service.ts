import {
  AGENT_MEMORY_LIMITS,
  type AgentMemoryEdge,
  type AgentMemoryEdgeChange,
  type AgentMemoryEdgeInput,
  type AgentMemoryGraph,
  type AgentMemoryNode,
  type AgentMemoryNodeChange,
  type AgentMemoryNodeInput,
} from '@millrace/contracts';
import type { MemoryPlace } from '@millrace/nodes/runtime';
import { conflict, invalidField, notFound } from '../../core/app-error.ts';
import { recordAudit } from '../../database/audit.ts';
import type { Db } from '../../database/database.ts';
import type { Needs } from '../../services.ts';
import { requireWorkflow, type VisibleWorkflow } from '../workflows/access.ts';
import { cleanJson } from '../workflows/graph/clean-json.ts';
import { loadGraphs } from '../workflows/service.ts';
import type { EdgeRow, MemoryRows, NodeRow } from './queries.ts';
import * as queries from './queries.ts';

type Writer = Needs<'db' | 'actor' | 'now' | 'request_id' | 'client_ip'>;

const nodeRecord = (row: NodeRow): AgentMemoryNode => ({
  id: row.id,
  entity_name: row.entity_name,
  entity_type: row.entity_type,
  properties: row.properties as AgentMemoryNode['properties'],
  confidence: row.confidence,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

const edgeRecord = (row: EdgeRow, source: NodeRow, target: NodeRow): AgentMemoryEdge => ({
  id: row.id,
  source_entity_name: source.entity_name,
  target_entity_name: target.entity_name,
  source_node_id: source.id,
  target_node_id: target.id,
  relationship_type: row.relationship_type,
  properties: row.properties as AgentMemoryEdge['properties'],
  confidence: row.confidence,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});

export function graphRecord({ nodes, edges }: MemoryRows): AgentMemoryGraph {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return {
    nodes: nodes.map(nodeRecord),
    edges: edges.flatMap((edge) => {
      const [source, target] = [byId.get(edge.source_node_id), byId.get(edge.target_node_id)];
      return source && target ? [edgeRecord(edge, source, target)] : [];
    }),
  };
}

/** The memory of an agent that was removed from the canvas can still be read. */
export async function readMemory(ctx: Needs<'db' | 'actor'>, place: MemoryPlace): Promise<AgentMemoryGraph> {
  const visible = await requireWorkflow(ctx, place.workflow_id, 'read');
  const rows = await queries.memoryRows(ctx.db, place);
  if (rows.nodes.length === 0) await requireAgent(ctx.db, visible, place.canvas_node_id);
  return graphRecord(rows);
}

/** Only agents of the published graph or of the draft have a memory to write to. */
async function requireAgent(db: Db, visible: VisibleWorkflow, canvas_node_id: string): Promise<void> {
  const graphs = await loadGraphs(db, visible);
  const isThere = graphs.some(({ nodes }) =>
    nodes.some(({ id, type }) => id === canvas_node_id && type === 'agent'),
  );
  if (!isThere) throw notFound('Agent');
}

interface Change {
  readonly place: MemoryPlace;
  readonly visible: VisibleWorkflow;
  readonly what: string;
}

/** Makes a change of a memory under its lock, with an entry in the audit log. */
async function changing<T>(
  ctx: Writer,
  { place, visible, what }: Change,
  make: (tx: Db, at: Date) => Promise<T>,
): Promise<T> {
  return ctx.db.transaction(async (tx) => {
    await queries.lockMemory(tx, place);
    const made = await make(tx, new Date(ctx.now()));
    await recordAudit(tx, ctx, {
      action: `workflow.agent_memory_${what}`,
      object_kind: 'workflow',
      object_id: place.workflow_id,
      object_name: visible.row.name,
      owner_id: visible.row.owner_id,
      details: { node_id: place.canvas_node_id },
    });
    return made;
  });
}

const sameName = (name: string) => conflict(`This memory has an entity "${name}"`);

export async function addNode(
  ctx: Writer,
  place: MemoryPlace,
  input: AgentMemoryNodeInput,
): Promise<AgentMemoryNode> {
  const visible = await requireWorkflow(ctx, place.workflow_id, 'edit');
  await requireAgent(ctx.db, visible, place.canvas_node_id);
  const properties = cleanJson(input.properties, ['body', 'properties']);
  return changing(ctx, { place, visible, what: 'node_created' }, async (tx, at) => {
    if ((await queries.countNodes(tx, place)) >= AGENT_MEMORY_LIMITS.nodes) {
      throw conflict(`This memory is full: it has ${AGENT_MEMORY_LIMITS.nodes} entities; delete some first`);
    }
    const entity_key = queries.entityKey(input.entity_name);
    const times = { created_at: at, updated_at: at };
    const row = await queries.insertNode(tx, { ...place, ...input, properties, entity_key, ...times });
    if (!row) throw sameName(input.entity_name);
    return nodeRecord(row);
  });
}

const toMemoryPlace = ({ workflow_id, canvas_node_id, conversation_id }: NodeRow | EdgeRow): MemoryPlace => ({
  workflow_id,
  canvas_node_id,
  ...(conversation_id === null ? {} : { conversation_id }),
});

async function requireNode(db: Db, workflow_id: string, id: string): Promise<NodeRow> {
  const row = await queries.nodeById(db, workflow_id, id);
  if (!row) throw notFound('Memory node');
  return row;
}

async function requireEdge(db: Db, workflow_id: string, id: string): Promise<EdgeRow> {
  const row = await queries.edgeById(db, workflow_id, id);
  if (!row) throw notFound('Memory edge');
  return row;
}

export async function changeNode(
  ctx: Writer,
  { workflow_id, id }: { workflow_id: string; id: string },
  input: AgentMemoryNodeChange,
): Promise<AgentMemoryNode> {
  const visible = await requireWorkflow(ctx, workflow_id, 'edit');
  const { entity_name, properties, ...change } = input;
  const place = toMemoryPlace(await requireNode(ctx.db, workflow_id, id));
  return changing(ctx, { place, visible, what: 'node_updated' }, async (tx, updated_at) => {
    const other = entity_name === undefined ? undefined : await queries.nodeByName(tx, place, entity_name);
    if (other && other.id !== id) throw sameName(other.entity_name);
    const row = await queries.changeNode(tx, id, {
      ...change,
      ...(properties ? { properties: cleanJson(properties, ['body', 'properties']) } : {}),
      ...(entity_name === undefined ? {} : { entity_name, entity_key: queries.entityKey(entity_name) }),
      updated_at,
    });
    if (!row) throw notFound('Memory node');
    return nodeRecord(row);
  });
}

export async function removeNode(ctx: Writer, workflow_id: string, id: string): Promise<void> {
  const visible = await requireWorkflow(ctx, workflow_id, 'edit');
  const place = toMemoryPlace(await requireNode(ctx.db, workflow_id, id));
  await changing(ctx, { place, visible, what: 'node_deleted' }, (tx) => queries.deleteNode(tx, id));
}

type EndField = 'source_entity_name' | 'target_entity_name';

async function requireEnd(db: Db, place: MemoryPlace, end: { field: EndField; name: string }) {
  const found = await queries.nodeByName(db, place, end.name);
  if (found) return found;
  throw invalidField(['body', end.field], `is no entity of this memory; add "${end.name}" first`);
}

const sameEdge = () => conflict('These two entities have such a relationship');

export async function addEdge(
  ctx: Writer,
  place: MemoryPlace,
  input: AgentMemoryEdgeInput,
): Promise<AgentMemoryEdge> {
  const visible = await requireWorkflow(ctx, place.workflow_id, 'edit');
  await requireAgent(ctx.db, visible, place.canvas_node_id);
  const { source_entity_name, target_entity_name, ...rest } = input;
  const properties = cleanJson(input.properties, ['body', 'properties']);
  return changing(ctx, { place, visible, what: 'edge_created' }, async (tx, at) => {
    if ((await queries.countEdges(tx, place)) >= AGENT_MEMORY_LIMITS.edges) {
      const most = AGENT_MEMORY_LIMITS.edges;
      throw conflict(`This memory is full: it has ${most} relationships; delete some first`);
    }
    const source = await requireEnd(tx, place, { field: 'source_entity_name', name: source_entity_name });
    const target = await requireEnd(tx, place, { field: 'target_entity_name', name: target_entity_name });
    const row = await queries.insertEdge(tx, {
      ...place,
      ...rest,
      properties,
      source_node_id: source.id,
      target_node_id: target.id,
      created_at: at,
      updated_at: at,
    });
    if (!row) throw sameEdge();
    return edgeRecord(row, source, target);
  });
}

export async function changeEdge(
  ctx: Writer,
  { workflow_id, id }: { workflow_id: string; id: string },
  input: AgentMemoryEdgeChange,
): Promise<AgentMemoryEdge> {
  const visible = await requireWorkflow(ctx, workflow_id, 'edit');
  const { source_entity_name, target_entity_name, properties, ...change } = input;
  const found = await requireEdge(ctx.db, workflow_id, id);
  const place = toMemoryPlace(found);
  return changing(ctx, { place, visible, what: 'edge_updated' }, async (tx, updated_at) => {
    const resolveEnd = (field: EndField, name: string | undefined, node_id: string) =>
      name === undefined ? requireNode(tx, workflow_id, node_id) : requireEnd(tx, place, { field, name });
    const source = await resolveEnd('source_entity_name', source_entity_name, found.source_node_id);
    const target = await resolveEnd('target_entity_name', target_entity_name, found.target_node_id);
    const next = {
      relationship_type: change.relationship_type ?? found.relationship_type,
      source_node_id: source.id,
      target_node_id: target.id,
    };
    const other = await queries.edgeBetween(tx, next);
    if (other && other.id !== id) throw sameEdge();
    const row = await queries.changeEdge(tx, id, {
      ...next,
      confidence: change.confidence,
      ...(properties ? { properties: cleanJson(properties, ['body', 'properties']) } : {}),
      updated_at,
    });
    if (!row) throw notFound('Memory edge');
    return edgeRecord(row, source, target);
  });
}

export async function removeEdge(ctx: Writer, workflow_id: string, id: string): Promise<void> {
  const visible = await requireWorkflow(ctx, workflow_id, 'edit');
  const place = toMemoryPlace(await requireEdge(ctx.db, workflow_id, id));
  await changing(ctx, { place, visible, what: 'edge_deleted' }, (tx) => queries.deleteEdge(tx, id));
}
