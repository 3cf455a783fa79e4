import { resolvePorts, type WorkflowNode } from '@millrace/engine';
import { useReactFlow } from '@xyflow/react';
import { useCallback } from 'react';
import { arrange, DEFAULT_SIZE } from '../../../features/document/arrange.ts';
import { useEditor } from '../../state/context.tsx';

export const FIT = { padding: 0.12, maxZoom: 1, duration: 200 } as const;

/** Arranges the graph by the sizes as drawn, so that the gaps come out right. */
export function useTidyUp(): () => void {
  const { store, catalog } = useEditor();
  const flow = useReactFlow();
  return useCallback(() => {
    const sizes = new Map(
      flow
        .getNodes()
        .map(({ id, measured }) => [
          id,
          { width: measured?.width ?? DEFAULT_SIZE.width, height: measured?.height ?? DEFAULT_SIZE.height },
        ]),
    );
    const getOutputs = (node: WorkflowNode) => resolvePorts(catalog, node).outputs;
    store.getState().edit((document) => arrange(document, sizes, getOutputs));
    requestAnimationFrame(() => void flow.fitView(FIT));
  }, [store, catalog, flow]);
}
