import { AGENT_MEMORY_LIMITS } from '@millrace/contracts';
import type { JsonObject } from '@millrace/engine';
import type { MemoryFacts, MemoryPlace } from '@millrace/nodes/runtime';
import { eq } from 'drizzle-orm';
import { newId } from '../../core/ids.ts';
import type { Database, Db } from '../../database/database.ts';
import { workflows } from '../../database/schema/index.ts';
import type { AgentMemoryStore } from '../../ports/run/agent-memories.ts';
import { type MergePlan, planMerge } from './merge.ts';
import * as queries from './queries.ts';
import { graphRecord } from './service.ts';
import { sharedMemories } from './shares.ts';

/** Visitors of a portal may begin as many conversations as they like. */
const CONVERSATION_LIMITS = { ...AGENT_MEMORY_LIMITS, nodes: 200, edges: 500 };

/** The memories of agents as runs read and write them. */
export function createAgentMemories({
  database,
  now,
}: {
  database: Database;
  now: () => number;
}): AgentMemoryStore {
  const { db } = database;
  return {
    sharedWith: (place) => sharedMemories(db, place),
    async read(place): Promise<MemoryFacts> {
      const { nodes, edges } = graphRecord(await queries.memoryRows(db, place));
      return {
        nodes: nodes.map(({ entity_name, entity_type, properties, confidence }) => ({
          entity_name,
          entity_type,
          properties: properties as JsonObject,
          confidence,
        })),
        edges: edges.map(({ source_entity_name, target_entity_name, relationship_type, confidence }) => ({
          source_entity_name,
          target_entity_name,
          relationship_type,
          confidence,
        })),
      };
    },
    merge: (place, facts) =>
      db.transaction(async (tx) => {
        await queries.lockMemory(tx, place);
        // The workflow or the conversation may be deleted while the run ends; the memory goes with it.
        const [workflow] = await tx
          .select({ id: workflows.id })
          .from(workflows)
          .where(eq(workflows.id, place.workflow_id))
          .for('key share');
        const { conversation_id } = place;
        const isGone =
          !workflow ||
          (conversation_id !== undefined && !(await queries.holdConversation(tx, conversation_id)));
        if (isGone) return facts.nodes.length + facts.edges.length;
        const limits = conversation_id === undefined ? AGENT_MEMORY_LIMITS : CONVERSATION_LIMITS;
        const plan = planMerge(await queries.memoryRows(tx, place), facts, { newId, limits });
        await write(tx, place, { plan, at: new Date(now()) });
        return plan.left_out;
      }),
  };
}

async function write(db: Db, place: MemoryPlace, { plan, at }: { plan: MergePlan; at: Date }): Promise<void> {
  const times = { created_at: at, updated_at: at };
  for (const node of plan.added_nodes) await queries.insertNode(db, { ...place, ...node, ...times });
  for (const { id, ...change } of plan.changed_nodes)
    await queries.changeNode(db, id, { ...change, updated_at: at });
  for (const edge of plan.added_edges)
    await queries.insertEdge(db, { ...place, ...edge, properties: {}, ...times });
  for (const { id, ...change } of plan.changed_edges)
    await queries.changeEdge(db, id, { ...change, updated_at: at });
}
