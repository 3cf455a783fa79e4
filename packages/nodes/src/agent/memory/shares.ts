import { z } from 'zod';

const share = z.looseObject({
  /** Absent in exports of older editors: the workflow of the agent itself. */
  peerWorkflowId: z.string().nullish(),
  peerCanvasNodeId: z.string().trim().min(1),
  permission: z.enum(['read', 'write']).catch('read'),
});

/** An agent that may use the memory of another one. */
export interface MemoryShare {
  readonly peer_workflow_id: string;
  readonly peer_canvas_node_id: string;
  readonly permission: 'read' | 'write';
}

/**
 * Whom an agent lets use its memory: each agent once, `write` before `read`. What names no agent is passed over.
 *
 * @param data of the agent, as stored
 * @param workflow_id that the agent is part of
 */
export function readMemoryShares(
  data: Readonly<Record<string, unknown>>,
  workflow_id: string,
): MemoryShare[] {
  const listed: unknown = data['memoryShares'];
  const shares = new Map<string, MemoryShare>();
  for (const entry of Array.isArray(listed) ? (listed as unknown[]) : []) {
    const read = share.safeParse(entry);
    if (!read.success) continue;
    const { peerWorkflowId, peerCanvasNodeId, permission } = read.data;
    const peer_workflow_id = (peerWorkflowId?.trim() || workflow_id).toLowerCase();
    const key = `${peer_workflow_id} ${peerCanvasNodeId}`;
    if (shares.get(key)?.permission === 'write') continue;
    shares.set(key, { peer_workflow_id, peer_canvas_node_id: peerCanvasNodeId, permission });
  }
  return [...shares.values()];
}
