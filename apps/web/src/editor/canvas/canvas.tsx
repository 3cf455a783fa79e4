import { lazy } from '../../lib/code/lazy.ts';
import { useEditorTexts } from '../texts/use-editor-texts.ts';
import '../../features/canvas-view/canvas.css';
import {
  Background,
  BackgroundVariant,
  ConnectionLineType,
  MiniMap,
  ReactFlow,
  SelectionMode,
  useStore as useFlowStore,
} from '@xyflow/react';
import { clsx } from 'clsx';
import { LoaderCircle } from 'lucide-react';
import { type PointerEvent, Suspense, useMemo, useRef } from 'react';
import { CanvasActionsProvider } from '../../features/canvas-view/canvas-actions.tsx';
import { distance } from '../../features/canvas-view/elements/distance.ts';
import { CULL_ABOVE, EDGE_TYPES, NODE_TYPES } from '../../features/canvas-view/elements/element-types.ts';
import type { CanvasEdge, CanvasNode } from '../../features/canvas-view/elements/flow-elements.ts';
import { useDrawnNodes } from '../../features/canvas-view/use-drawn-nodes.ts';
import { useDocument } from '../../features/document/context.ts';
import { useEditor, useView } from '../state/context.tsx';
import { useSearch } from './adding/use-search.ts';
import { CanvasMenu } from './commands/canvas-menu.tsx';
import { CanvasToolbar } from './commands/canvas-toolbar.tsx';
import { leaveRunKey } from './commands/leave-run-key.ts';
import { useCanvasKeys } from './commands/use-canvas-keys.ts';
import { useOpenNode } from './commands/use-open-node.ts';
import { EmptyHint } from './empty-hint.tsx';
import { firstView } from './first-view.ts';
import { useConnecting } from './use-connecting.ts';
import { useDrop } from './use-drop.ts';

const loadSearch = () => import('./adding/node-search.tsx');
const NodeSearch = lazy(() => loadSearch().then((module) => ({ default: module.NodeSearch })));

const SNAP: [number, number] = [10, 10];
const MULTI_SELECT = ['Meta', 'Control', 'Shift'];
const PRO = { hideAttribution: true };

/** Else a press with Shift on a node begins a box, which takes the place of the selection with the first move of the pointer. */
function keepShiftClick(event: PointerEvent): void {
  const isOnElement =
    event.target instanceof Element && event.target.closest('.react-flow__node, .react-flow__edge') !== null;
  if (event.shiftKey && isOnElement) event.stopPropagation();
}

const miniClass = (node: CanvasNode) => (node.type === 'note' ? 'canvas-minimap-note' : '');

/** The handlers stay the same: with a new one React Flow draws all nodes again. */
function useNodeClicks() {
  const { view } = useEditor();
  const openNode = useOpenNode();
  return useMemo(
    () => ({
      // Also a click on the node that is selected already brings its panel to the front.
      onNodeClick: () => {
        if (view.getState().side !== 'outline') view.setState({ side: 'node' });
      },
      onNodeDoubleClick: (_event: unknown, { id, type }: CanvasNode) => {
        // A note is written in place.
        if (type !== 'note') openNode(id);
      },
    }),
    [view, openNode],
  );
}

export function Canvas() {
  const t = useEditorTexts('canvas');
  const far = useFlowStore(distance);
  const root = useRef<HTMLDivElement>(null);
  const drawn = useDrawnNodes();
  const [search, setSearch] = useSearch(loadSearch);
  const connecting = useConnecting(root, setSearch);
  const drop = useDrop();
  const isEmpty = useDocument((state) => state.document.nodes.length === 0);
  const clicks = useNodeClicks();
  useCanvasKeys(setSearch);
  const actions = useMemo(
    () => ({ insertOnEdge: (edge_id: string) => setSearch({ edge_id }), openSearch: setSearch }),
    [setSearch],
  );

  return (
    <CanvasActionsProvider actions={actions}>
      <CanvasMenu>
        <div
          ref={root}
          className="relative size-full outline-none"
          role="application"
          aria-label={t('label')}
          {...drop.handlers}
          onPointerDownCapture={keepShiftClick}
          onKeyDownCapture={leaveRunKey}
        >
          <ReactFlow<CanvasNode, CanvasEdge>
            // Takes the focus when the last of its elements that had it is gone.
            tabIndex={-1}
            className={clsx('outline-none', connecting.isDrawing && 'canvas-connecting', far)}
            nodes={drawn.nodes}
            edges={drawn.edges}
            nodeTypes={NODE_TYPES}
            edgeTypes={EDGE_TYPES}
            onInit={firstView}
            onNodesChange={drawn.onNodesChange}
            onEdgesChange={drawn.onEdgesChange}
            onNodeDragStop={drawn.onNodeDragStop}
            onSelectionDragStop={drawn.onSelectionDragStop}
            onConnect={connecting.onConnect}
            onConnectStart={connecting.onStart}
            onConnectEnd={connecting.onEnd}
            onReconnect={connecting.onReconnect}
            isValidConnection={connecting.isValid}
            {...clicks}
            connectionLineType={ConnectionLineType.Bezier}
            connectionRadius={48}
            selectionMode={SelectionMode.Partial}
            multiSelectionKeyCode={MULTI_SELECT}
            deleteKeyCode={null}
            snapToGrid
            snapGrid={SNAP}
            minZoom={0.1}
            maxZoom={2}
            onlyRenderVisibleElements={drawn.count > CULL_ABOVE}
            proOptions={PRO}
          >
            <Background variant={BackgroundVariant.Dots} gap={20} size={1.2} color="var(--line-strong)" />
            {isEmpty ? null : (
              <MiniMap
                pannable
                zoomable
                className="canvas-minimap"
                nodeClassName={miniClass}
                nodeBorderRadius={8}
                ariaLabel={t('minimap')}
              />
            )}
            <CanvasToolbar onSearch={() => setSearch({})} />
          </ReactFlow>
          {isEmpty ? <EmptyHint onSearch={() => setSearch({})} /> : null}
          {drop.isOver ? <DropHint /> : null}
          <ConvertingHint />
          <Suspense>
            {search ? <NodeSearch request={search} onClose={() => setSearch(undefined)} /> : null}
          </Suspense>
        </div>
      </CanvasMenu>
    </CanvasActionsProvider>
  );
}

/** While a workflow of another tool is read, which can take seconds. */
function ConvertingHint() {
  const t = useEditorTexts('canvas');
  const shown = useView((state) => state.converting);
  return (
    <div role="status" className="pointer-events-none absolute inset-x-0 top-3 flex justify-center">
      {shown ? (
        <span className="flex items-center gap-2 rounded-m border border-line bg-surface px-3 py-1.5 text-base shadow-m">
          <LoaderCircle className="animate-spin" aria-hidden />
          {t('converting')}
        </span>
      ) : null}
    </div>
  );
}

/** While a file is over the canvas. */
function DropHint() {
  const t = useEditorTexts('canvas');
  return (
    <div className="pointer-events-none absolute inset-3 flex items-center justify-center rounded-l border-2 border-dashed border-accent bg-accent-tint/70 text-lg font-medium text-accent-text">
      {t('drop_file')}
    </div>
  );
}
