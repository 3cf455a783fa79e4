import type { WorkflowNode } from '@millrace/engine';
import { useMemo } from 'react';
import { useDocument } from '../../features/document/context.ts';
import { nodeById } from '../../features/document/edit.ts';
import { flowOrder } from '../../features/document/flow-order.ts';
import { useEditor } from '../state/context.tsx';

export interface Neighbours {
  readonly previous: WorkflowNode | undefined;
  readonly next: WorkflowNode | undefined;
}

/** The nodes before and behind this one, in the order in which runs pass them. */
export function useNeighbours(node: WorkflowNode): Neighbours {
  const { catalog } = useEditor();
  const document = useDocument((state) => state.document);
  return useMemo(() => {
    const order = flowOrder(catalog, document);
    const at = order.indexOf(node.id);
    const named = (id: string | undefined) => (id === undefined ? undefined : nodeById(document, id));
    return { previous: at < 0 ? undefined : named(order[at - 1]), next: named(order[at + 1]) };
  }, [catalog, document, node.id]);
}
