import { type ReactFlowState, useStore } from '@xyflow/react';
import type { ReactNode } from 'react';
import { createPortal } from 'react-dom';

/** Found once for each canvas. `EdgeLabelRenderer` searches the page for each connection at each change. */
const layers = new WeakMap<HTMLElement, Element>();

function labelLayer({ domNode }: ReactFlowState): Element | undefined {
  if (!domNode) return undefined;
  const layer = layers.get(domNode) ?? domNode.querySelector('.react-flow__edgelabel-renderer');
  if (!layer) return undefined;
  layers.set(domNode, layer);
  return layer;
}

/** Draws HTML on a connection, above the lines and below the nodes. */
export function EdgeLabel({ children }: { children: ReactNode }) {
  const layer = useStore(labelLayer);
  return layer ? createPortal(children, layer) : null;
}
