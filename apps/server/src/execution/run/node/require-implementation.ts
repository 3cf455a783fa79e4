import { NodeFailure, type NodeTask } from '@millrace/engine';
import type { NodeImplementation } from '@millrace/nodes/runtime';
import type { NodeNeeds } from './node-needs.ts';

export function requireImplementation(
  { implementations }: Pick<NodeNeeds, 'implementations'>,
  task: NodeTask,
): NodeImplementation {
  const found = implementations.get(task.node.definition.type);
  if (found) return found;
  throw new NodeFailure({
    kind: 'params',
    message: `Nodes of the type "${task.node.type}" cannot run on this server`,
    final: true,
  });
}
