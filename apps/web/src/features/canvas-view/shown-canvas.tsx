import './canvas.css';
import { Background, BackgroundVariant, ReactFlow, useStore } from '@xyflow/react';
import { distance } from './elements/distance.ts';
import { CULL_ABOVE, EDGE_TYPES, NODE_TYPES } from './elements/element-types.ts';
import type { CanvasEdge, CanvasNode } from './elements/flow-elements.ts';
import { useDrawnNodes } from './use-drawn-nodes.ts';
import { useFitAfterResize } from './use-fit-after-resize.ts';

const FIT = { padding: 0.12, maxZoom: 1 };
const PRO = { hideAttribution: true };

/** A graph whose nodes can be chosen and looked at, and not changed. */
export function ShownCanvas({ label }: { label: string }) {
  const { nodes, edges, count, onNodesChange } = useDrawnNodes();
  const far = useStore(distance);
  useFitAfterResize(FIT);
  return (
    <section aria-label={label} className="relative size-full">
      <ReactFlow<CanvasNode, CanvasEdge>
        {...(far ? { className: far } : {})}
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        onNodesChange={onNodesChange}
        fitView
        fitViewOptions={FIT}
        nodesDraggable={false}
        nodesConnectable={false}
        edgesFocusable={false}
        edgesReconnectable={false}
        deleteKeyCode={null}
        selectionKeyCode={null}
        multiSelectionKeyCode={null}
        zoomOnDoubleClick={false}
        minZoom={0.1}
        maxZoom={2}
        onlyRenderVisibleElements={count > CULL_ABOVE}
        proOptions={PRO}
      >
        <Background variant={BackgroundVariant.Dots} gap={20} size={1.2} color="var(--line-strong)" />
      </ReactFlow>
    </section>
  );
}
