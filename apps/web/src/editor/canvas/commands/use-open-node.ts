import { useCallback } from 'react';
import { nodeById } from '../../../features/document/edit.ts';
import { useEditor } from '../../state/context.tsx';

/** Chooses a node and opens it over the canvas; a note, which no run passes, in its panel. */
export function useOpenNode(): (id: string) => void {
  const { store, view } = useEditor();
  return useCallback(
    (id) => {
      const node = nodeById(store.getState().document, id);
      if (!node) return;
      store.getState().select({ nodes: [id] });
      if (node.type === 'sticky') view.getState().showNode('configure');
      else view.getState().set({ detail: id });
    },
    [store, view],
  );
}
