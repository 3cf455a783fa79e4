import type { WorkflowNode } from '@millrace/engine';
import { useQuery } from '@tanstack/react-query';
import { runGraphQuery } from '../../../data/run-graphs.ts';
import { useRun } from '../../state/context.tsx';

/** A node as it was in the run on the canvas, without later edits. Undefined until it is loaded. */
export function useRanNode(id: string): WorkflowNode | undefined {
  const run = useRun((state) => state.execution_id);
  const { data } = useQuery({ ...runGraphQuery(run ?? ''), enabled: run !== undefined });
  return data?.nodes.find((node) => node.id === id) as WorkflowNode | undefined;
}
