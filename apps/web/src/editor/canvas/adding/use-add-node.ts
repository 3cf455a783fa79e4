import type { NodeDefinition } from '@millrace/engine';
import { useReactFlow, useStoreApi } from '@xyflow/react';
import { useCallback } from 'react';
import type { Placement } from '../../../features/canvas-view/canvas-actions.tsx';
import { nodeById } from '../../../features/document/edit.ts';
import { selectedNode } from '../../../features/document/store.ts';
import type { insertOnEdge } from '../../document/edges/insert-on-edge.ts';
import {
  addNode,
  addNodeAfter,
  computeBounds,
  freePlace,
  NODE,
  type Position,
} from '../../document/nodes/add-node.ts';
import { useEditor } from '../../state/context.tsx';
import { wholeView } from '../first-view.ts';

const EDGE_MARGIN = 40;
/** Height of the tools at the lower edge of the canvas. */
const FOOT = 60;

/** How far a span reaches beyond a room, with a margin: negative before its start, positive behind its end. */
function outside(from: number, to: number, room: number): number {
  if (from < EDGE_MARGIN) return from - EDGE_MARGIN;
  return Math.max(0, to + EDGE_MARGIN - room);
}

/** Adds a node of a type, selects it and brings it into view. Undefined when the graph refused it. */
export function useAddNode(): (
  definition: NodeDefinition,
  placement?: Placement & { insert?: typeof insertOnEdge },
) => string | undefined {
  const { store, catalog } = useEditor();
  const flow = useReactFlow();
  const view = useStoreApi();

  return useCallback(
    (definition, placement = {}) => {
      const middle = (): Position => {
        const { width, height, transform } = view.getState();
        const [x, y, zoom] = transform;
        return {
          x: (width / 2 - x) / zoom - NODE.width / 2,
          y: (height / 2 - y) / zoom - NODE.height / 2,
        };
      };
      const isStep = definition.traits.role !== 'trigger' && definition.traits.schedule === 'normal';
      const selected = placement.at || placement.loose ? undefined : selectedNode(store.getState());
      const after =
        placement.after ?? (isStep && selected ? { id: selected.id, handle: undefined } : undefined);
      let id: string | undefined;
      const done = store.getState().edit((document) => {
        const { edge_id, insert } = placement;
        const result =
          edge_id !== undefined && insert
            ? insert(catalog, document, { edge_id, definition })
            : after
              ? addNodeAfter(catalog, document, { after: after.id, handle: after.handle, definition })
              : addNode(document, definition, placement.at ?? freePlace(document, middle()));
        id = result.id;
        return result;
      });
      if (!done || id === undefined) return undefined;
      store.getState().select({ nodes: [id] });
      const added = nodeById(store.getState().document, id);
      if (added) bringIntoView(added.position);
      return id;

      /** Shows the whole graph while it can be read, else moves on as little as needed. */
      function bringIntoView(position: Position): void {
        const { width, height, transform } = view.getState();
        const [x, y, zoom] = transform;
        const left = position.x * zoom + x;
        const top = position.y * zoom + y;
        const right = left + NODE.width * zoom;
        const bottom = top + NODE.height * zoom;
        const dx = outside(left, right, width);
        const dy = outside(top, bottom, height - FOOT);
        if (dx === 0 && dy === 0) return;
        const whole = wholeView(computeBounds(store.getState().document.nodes), { width, height });
        void flow.setViewport(whole ?? { x: x - dx, y: y - dy, zoom }, { duration: 200 });
      }
    },
    [store, catalog, flow, view],
  );
}
