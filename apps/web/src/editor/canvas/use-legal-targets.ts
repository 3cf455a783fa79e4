import type { OnConnectStartParams } from '@xyflow/react';
import { type RefObject, useCallback } from 'react';
import { createConnectionCheck } from '../document/edges/connect.ts';
import { useEditor } from '../state/context.tsx';

const findHandles = (root: Element, side: 'source' | 'target') =>
  root.querySelectorAll<HTMLElement>(`.react-flow__handle.${side}`);

/**
 * Marks in the drawn canvas which handles may take the connection that is being drawn, and which nodes have none.
 * Written into the elements themselves: five hundred nodes need not be drawn again for it.
 */
export function useLegalTargets(root: RefObject<HTMLElement | null>) {
  const { store, catalog } = useEditor();
  const clear = useCallback(() => {
    for (const element of root.current?.querySelectorAll('[data-legal], [data-illegal]') ?? []) {
      element.removeAttribute('data-legal');
      element.removeAttribute('data-illegal');
    }
  }, [root]);
  const mark = useCallback(
    ({ nodeId, handleId, handleType }: OnConnectStartParams) => {
      clear();
      if (!root.current || !nodeId || !handleType) return;
      const refusal = createConnectionCheck(catalog, store.getState().document);
      const legal = new Set<string>([nodeId]);
      const isFrom = handleType === 'source';
      for (const handle of findHandles(root.current, isFrom ? 'target' : 'source')) {
        const { nodeid: other, handleid } = handle.dataset;
        if (!other) continue;
        const wish = isFrom
          ? { source: nodeId, sourceHandle: handleId, target: other, targetHandle: handleid }
          : { source: other, sourceHandle: handleid, target: nodeId, targetHandle: handleId };
        if (refusal(wish)) continue;
        handle.setAttribute('data-legal', '');
        legal.add(other);
      }
      for (const node of root.current.querySelectorAll<HTMLElement>('.react-flow__node'))
        if (!legal.has(node.dataset['id'] ?? '')) node.setAttribute('data-illegal', '');
    },
    [root, store, catalog, clear],
  );
  return { mark, clear };
}
