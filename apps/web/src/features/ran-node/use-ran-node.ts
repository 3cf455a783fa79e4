import type { WorkflowNode } from '@millrace/engine';
import { useRunGraph } from '../../data/runs.ts';
import { useRun } from '../document/context.ts';

/** A node as it was in the run on the canvas, without later edits. Undefined until it is loaded. */
export function useRanNode(id: string): WorkflowNode | undefined {
  const run = useRun((state) => state.execution_id);
  const { data } = useRunGraph(run);
  return data?.nodes.find((node) => node.id === id) as WorkflowNode | undefined;
}
