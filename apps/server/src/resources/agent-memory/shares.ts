import { type MemoryPlace, readMemoryShares } from '@millrace/nodes/runtime';
import { and, eq } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { isUuid } from '../../core/ids.ts';
import type { Db } from '../../database/database.ts';
import { agentMemoryShares, workflows } from '../../database/schema/index.ts';
import type { SharedMemory } from '../../ports/run/agent-memories.ts';
import type { Needs } from '../../services.ts';
import { canSeeWorkflow } from '../workflows/access.ts';
import type { Graph } from '../workflows/record.ts';

type ShareRow = typeof agentMemoryShares.$inferSelect;

/** Shares with agents of other workflows; those within the workflow are read from the graph of each run. */
const sharesIn = (workflow_id: string, { nodes }: Graph): ShareRow[] =>
  nodes
    .filter(({ type }) => type === 'agent')
    .flatMap(({ id, data }) =>
      readMemoryShares(data, workflow_id).map((share) => ({ workflow_id, canvas_node_id: id, ...share })),
    )
    .filter(({ peer_workflow_id }) => peer_workflow_id !== workflow_id && isUuid(peer_workflow_id));

const isSame = (one: ShareRow, two: ShareRow): boolean =>
  one.canvas_node_id === two.canvas_node_id &&
  one.peer_workflow_id === two.peer_workflow_id &&
  one.peer_canvas_node_id === two.peer_canvas_node_id &&
  one.permission === two.permission;

/**
 * Replaces what is kept of the shares of a published graph. A memory is shared only with workflows that its publisher
 * can see; what was shared before, by a person who could, stays. All others have no effect.
 */
export async function replaceMemoryShares(
  { db, actor }: Needs<'db' | 'actor'>,
  workflow_id: string,
  graph: Graph,
): Promise<void> {
  const ofWorkflow = eq(agentMemoryShares.workflow_id, workflow_id);
  const former = await db.select().from(agentMemoryShares).where(ofWorkflow);
  const rows: ShareRow[] = [];
  for (const share of sharesIn(workflow_id, graph)) {
    const stays = former.some((other) => isSame(share, other));
    if (stays || (await canSeeWorkflow(db, actor.user_id, share.peer_workflow_id))) rows.push(share);
  }
  if (former.length > 0) await db.delete(agentMemoryShares).where(ofWorkflow);
  if (rows.length > 0) await db.insert(agentMemoryShares).values(rows);
}

/**
 * Memories that other workflows share with the agent. Both workflows must belong to one person: otherwise anyone who
 * shares a workflow could put facts into the prompts of an agent that is not theirs.
 */
export async function sharedMemories(db: Db, place: MemoryPlace): Promise<SharedMemory[]> {
  const peers = alias(workflows, 'peers');
  const rows = await db
    .select({
      workflow_id: agentMemoryShares.workflow_id,
      canvas_node_id: agentMemoryShares.canvas_node_id,
      permission: agentMemoryShares.permission,
      workflow_name: workflows.name,
    })
    .from(agentMemoryShares)
    .innerJoin(workflows, eq(workflows.id, agentMemoryShares.workflow_id))
    .innerJoin(
      peers,
      and(eq(peers.id, agentMemoryShares.peer_workflow_id), eq(peers.owner_id, workflows.owner_id)),
    )
    .where(
      and(
        eq(agentMemoryShares.peer_workflow_id, place.workflow_id),
        eq(agentMemoryShares.peer_canvas_node_id, place.canvas_node_id),
      ),
    )
    .orderBy(agentMemoryShares.workflow_id, agentMemoryShares.canvas_node_id);
  return rows.map(({ workflow_id, canvas_node_id, ...row }) => ({
    place: { workflow_id, canvas_node_id },
    ...row,
  }));
}
