import type { Json, WorkflowNode } from '@millrace/engine';
import { createContext, use } from 'react';

/** Actions on a failed node where its failure is shown. */
export interface FailureActions {
  /** A run is being started already. */
  readonly busy: boolean;
  /** Runs the node again with what the nodes before it gave, and those after it. */
  resume(node_id: string): void;
  /** Writes a better value in the place of the one that failed. */
  fix(node: WorkflowNode, change: { name: string; value: Json }): void;
}

export const FailureActionsContext = createContext<FailureActions | undefined>(undefined);

export function useFailureActions(): FailureActions {
  const actions = use(FailureActionsContext);
  if (!actions) throw new Error('useFailureActions is called outside of a FailureActionsContext');
  return actions;
}
