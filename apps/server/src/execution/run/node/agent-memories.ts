import type { AgentMemories, AgentMemory, MemoryPlace, RememberingAgent } from '@millrace/nodes/runtime';
import { readMemoryShares } from '@millrace/nodes/runtime';
import type { Executor } from '../executor.ts';
import { readOrigin } from '../start/origin.ts';

type Usable = Pick<AgentMemory, 'place' | 'name' | 'permission'>;

const isAt = (one: MemoryPlace, two: MemoryPlace): boolean =>
  one.workflow_id === two.workflow_id &&
  one.canvas_node_id === two.canvas_node_id &&
  one.conversation_id === two.conversation_id;

/** Memories of other agents of the same workflow, by the graph that the run is pinned to. */
function sharedWithin({ workflow, workflow_id }: Executor, agent_id: string): Usable[] {
  return workflow.version.graph.nodes
    .filter(({ id, definition }) => definition.type === 'agent' && id !== agent_id)
    .flatMap(({ id, label, data }): Usable[] => {
      const share = readMemoryShares(data, workflow_id).find(
        (other) => other.peer_workflow_id === workflow_id && other.peer_canvas_node_id === agent_id,
      );
      if (!share) return [];
      const place = { workflow_id, canvas_node_id: id };
      return [{ place, name: label, permission: share.permission }];
    });
}

async function sharedWith(executor: Executor, agent_id: string): Promise<Usable[]> {
  const { nodes, workflow_id } = executor;
  const others = await nodes.ports.agent_memories.sharedWith({ workflow_id, canvas_node_id: agent_id });
  return [
    ...sharedWithin(executor, agent_id),
    ...others.map(({ workflow_name: name, ...other }) => ({ ...other, name })),
  ];
}

/**
 * The same memory for a portal conversation: what is known to all runs is only read, and what is learned goes to a memory of the
 * conversation, which agents of one workflow share as they share the other. A message outside of a conversation teaches nothing.
 */
function apartFor(
  { workflow_id }: Executor,
  conversation_id: string | null,
): (memory: Usable) => readonly Usable[] {
  return (memory) => {
    const known: Usable = { ...memory, permission: 'read' };
    if (conversation_id === null || memory.place.workflow_id !== workflow_id) return [known];
    const place = { ...memory.place, conversation_id };
    return [{ ...memory, place, name: `${memory.name} (this conversation)` }, known];
  };
}

/** Memories as the agents of one run use them. Credential values are hidden in what is stored: others read it. */
export function createMemories(executor: Executor): AgentMemories {
  const { nodes, workflow, workflow_id, secrets } = executor;
  const { agent_memories } = nodes.ports;
  const buildOwnMemory = (agent_id: string): Usable => ({
    place: { workflow_id, canvas_node_id: agent_id },
    name: workflow.version.graph.nodes.find(({ id }) => id === agent_id)?.label ?? agent_id,
    permission: 'write',
  });
  const usableBy = async ({ id, keeps_own, per_conversation }: RememberingAgent): Promise<Usable[]> => {
    const usable = [...(keeps_own ? [buildOwnMemory(id)] : []), ...(await sharedWith(executor, id))];
    const { portal } = readOrigin(executor.begin);
    return portal && per_conversation ? usable.flatMap(apartFor(executor, portal.conversation_id)) : usable;
  };
  return {
    isShared: async (agent_id) => (await sharedWith(executor, agent_id)).length > 0,
    async read(agent) {
      const usable = await usableBy(agent);
      return Promise.all(
        usable.map(async (memory) => ({ ...memory, ...(await agent_memories.read(memory.place)) })),
      );
    },
    async merge(agent, place, facts) {
      const usable = await usableBy(agent);
      // A share may have ended since it was read.
      const mayWrite = usable.some((memory) => memory.permission === 'write' && isAt(memory.place, place));
      return mayWrite
        ? agent_memories.merge(place, secrets.mask(facts))
        : facts.nodes.length + facts.edges.length;
    },
  };
}
