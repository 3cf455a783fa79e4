import * as contracts from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import * as service from './service.ts';

const toMemoryPlace = ({ id, node }: { id: string; node: string }) => ({
  workflow_id: id,
  canvas_node_id: node,
});
const DELETED = { status: 'deleted' } as const;

/** The memory of agents, for people who have access to the workflow. */
export function bindAgentMemory(binder: Binder): void {
  binder.json(contracts.readAgentMemory, (ctx, { params }) => service.readMemory(ctx, toMemoryPlace(params)));
  binder.json(contracts.createAgentMemoryNode, (ctx, { params, body }) =>
    service.addNode(ctx, toMemoryPlace(params), body),
  );
  binder.json(contracts.createAgentMemoryEdge, (ctx, { params, body }) =>
    service.addEdge(ctx, toMemoryPlace(params), body),
  );
  binder.json(contracts.updateAgentMemoryNode, (ctx, { params, body }) =>
    service.changeNode(ctx, { workflow_id: params.id, id: params.memory_node_id }, body),
  );
  binder.json(contracts.updateAgentMemoryEdge, (ctx, { params, body }) =>
    service.changeEdge(ctx, { workflow_id: params.id, id: params.memory_edge_id }, body),
  );
  binder.json(contracts.deleteAgentMemoryNode, async (ctx, { params }) => {
    await service.removeNode(ctx, params.id, params.memory_node_id);
    return DELETED;
  });
  binder.json(contracts.deleteAgentMemoryEdge, async (ctx, { params }) => {
    await service.removeEdge(ctx, params.id, params.memory_edge_id);
    return DELETED;
  });
}
