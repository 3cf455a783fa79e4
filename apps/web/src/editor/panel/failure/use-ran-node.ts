import type { WorkflowNode } from '@millrace/engine';
import { useQuery } from '@tanstack/react-query';
import { runGraphQuery } from '../../../data/run-graphs.ts';
import { useRun } from '../../context.tsx';

/** A node as the run on the canvas had it, whatever was edited since. Undefined until it is known. */
export function useRanNode(id: string): WorkflowNode | undefined {
  const run = useRun((state) => state.execution_id);
  const { data } = useQuery({ ...runGraphQuery(run ?? ''), enabled: run !== undefined });
  return data?.nodes.find((node) => node.id === id) as WorkflowNode | undefined;
}
