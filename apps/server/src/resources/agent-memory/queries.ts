import type { MemoryPlace } from '@millrace/nodes/runtime';
import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import type { Db } from '../../database/database.ts';
import { agentMemoryEdges, agentMemoryNodes, portalConversations } from '../../database/schema/index.ts';

export type NodeRow = typeof agentMemoryNodes.$inferSelect;
export type EdgeRow = typeof agentMemoryEdges.$inferSelect;

export interface MemoryRows {
  readonly nodes: readonly NodeRow[];
  readonly edges: readonly EdgeRow[];
}

/** Spellings of one name that differ in the case of letters are one entity. */
export const entityKey = (entity_name: string): string => entity_name.normalize('NFC').toLowerCase();

const rowsAt =
  (table: typeof agentMemoryNodes | typeof agentMemoryEdges) =>
  ({ workflow_id, canvas_node_id, conversation_id }: MemoryPlace) =>
    and(
      eq(table.workflow_id, workflow_id),
      eq(table.canvas_node_id, canvas_node_id),
      conversation_id === undefined
        ? isNull(table.conversation_id)
        : eq(table.conversation_id, conversation_id),
    );
const nodesAt = rowsAt(agentMemoryNodes);
const edgesAt = rowsAt(agentMemoryEdges);

/** Entities by name, relationships from the oldest to the newest. */
export async function memoryRows(db: Db, place: MemoryPlace): Promise<MemoryRows> {
  const nodes = await db
    .select()
    .from(agentMemoryNodes)
    .where(nodesAt(place))
    .orderBy(asc(agentMemoryNodes.entity_key));
  const edges = await db
    .select()
    .from(agentMemoryEdges)
    .where(edgesAt(place))
    .orderBy(asc(agentMemoryEdges.created_at), asc(agentMemoryEdges.id));
  // An edge may have been added between the two.
  const known = new Set(nodes.map(({ id }) => id));
  return {
    nodes,
    edges: edges.filter(({ source_node_id, target_node_id }) =>
      [source_node_id, target_node_id].every((id) => known.has(id)),
    ),
  };
}

/** First key of the advisory locks of memories; any constant that no other lock uses. */
const LOCK_CLASS = 4_072_026;

/** Until the transaction ends, changes of one memory wait for each other. */
export function lockMemory(db: Db, { workflow_id, canvas_node_id, conversation_id }: MemoryPlace) {
  const key = [workflow_id, canvas_node_id, conversation_id].filter(Boolean).join(' ');
  return db.execute(sql`SELECT pg_advisory_xact_lock(${LOCK_CLASS}, hashtext(${key}))`);
}

/** Whether there is such a portal conversation, which then stays until the transaction ends. */
export async function holdConversation(db: Db, id: string): Promise<boolean> {
  const rows = await db
    .select({ id: portalConversations.id })
    .from(portalConversations)
    .where(eq(portalConversations.id, id))
    .for('key share');
  return rows.length > 0;
}

export async function nodeById(db: Db, workflow_id: string, id: string): Promise<NodeRow | undefined> {
  const [row] = await db
    .select()
    .from(agentMemoryNodes)
    .where(and(eq(agentMemoryNodes.workflow_id, workflow_id), eq(agentMemoryNodes.id, id)));
  return row;
}

export async function edgeById(db: Db, workflow_id: string, id: string): Promise<EdgeRow | undefined> {
  const [row] = await db
    .select()
    .from(agentMemoryEdges)
    .where(and(eq(agentMemoryEdges.workflow_id, workflow_id), eq(agentMemoryEdges.id, id)));
  return row;
}

export async function nodeByName(
  db: Db,
  place: MemoryPlace,
  entity_name: string,
): Promise<NodeRow | undefined> {
  const [row] = await db
    .select()
    .from(agentMemoryNodes)
    .where(and(nodesAt(place), eq(agentMemoryNodes.entity_key, entityKey(entity_name))));
  return row;
}

export async function edgeBetween(
  db: Db,
  edge: Pick<EdgeRow, 'source_node_id' | 'target_node_id' | 'relationship_type'>,
): Promise<EdgeRow | undefined> {
  const [row] = await db
    .select()
    .from(agentMemoryEdges)
    .where(
      and(
        eq(agentMemoryEdges.source_node_id, edge.source_node_id),
        eq(agentMemoryEdges.target_node_id, edge.target_node_id),
        eq(agentMemoryEdges.relationship_type, edge.relationship_type),
      ),
    );
  return row;
}

export const countNodes = (db: Db, place: MemoryPlace) => db.$count(agentMemoryNodes, nodesAt(place));
export const countEdges = (db: Db, place: MemoryPlace) => db.$count(agentMemoryEdges, edgesAt(place));

/** Undefined when the memory has an entity of that name. */
export async function insertNode(
  db: Db,
  row: typeof agentMemoryNodes.$inferInsert,
): Promise<NodeRow | undefined> {
  const [inserted] = await db.insert(agentMemoryNodes).values(row).onConflictDoNothing().returning();
  return inserted;
}

/** Undefined when there is such a relationship. */
export async function insertEdge(
  db: Db,
  row: typeof agentMemoryEdges.$inferInsert,
): Promise<EdgeRow | undefined> {
  const [inserted] = await db.insert(agentMemoryEdges).values(row).onConflictDoNothing().returning();
  return inserted;
}

/** Columns that are undefined stay as they are. */
type Change<Row> = { readonly [Key in keyof Row]?: Row[Key] | undefined };

export async function changeNode(db: Db, id: string, change: Change<NodeRow>): Promise<NodeRow | undefined> {
  const [row] = await db.update(agentMemoryNodes).set(change).where(eq(agentMemoryNodes.id, id)).returning();
  return row;
}

export async function changeEdge(db: Db, id: string, change: Change<EdgeRow>): Promise<EdgeRow | undefined> {
  const [row] = await db.update(agentMemoryEdges).set(change).where(eq(agentMemoryEdges.id, id)).returning();
  return row;
}

export const deleteNode = (db: Db, id: string) =>
  db.delete(agentMemoryNodes).where(eq(agentMemoryNodes.id, id));

export const deleteEdge = (db: Db, id: string) =>
  db.delete(agentMemoryEdges).where(eq(agentMemoryEdges.id, id));
