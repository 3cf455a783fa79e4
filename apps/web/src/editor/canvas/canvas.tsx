import { useEditorTexts } from '../texts/use-editor-texts.ts';
import './canvas.css';
import type { Connection } from '@millrace/engine';
import {
  Background,
  BackgroundVariant,
  ConnectionLineType,
  type FinalConnectionState,
  MiniMap,
  type OnConnectStartParams,
  ReactFlow,
  type ReactFlowInstance,
  SelectionMode,
  useStore as useFlowStore,
} from '@xyflow/react';
import { clsx } from 'clsx';
import { lazy, type RefObject, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { connect, reconnect, refusalsOf } from '../document/edges/connect.ts';
import { useDocument, useEditor } from '../state/context.tsx';
import type { NodeSearchRequest } from './adding/node-search.tsx';
import { CanvasActionsProvider } from './canvas-actions.tsx';
import { CanvasMenu } from './commands/canvas-menu.tsx';
import { CanvasToolbar } from './commands/canvas-toolbar.tsx';
import { useCanvasKeys } from './commands/use-canvas-keys.ts';
import { useOpenNode } from './commands/use-open-node.ts';
import { distance } from './elements/distance.ts';
import { CULL_ABOVE, EDGE_TYPES, NODE_TYPES } from './elements/element-types.ts';
import type { CanvasEdge, CanvasNode } from './elements/flow-elements.ts';
import { EmptyHint } from './empty-hint.tsx';
import { firstView } from './first-view.ts';
import { useDrawnNodes } from './use-drawn-nodes.ts';
import { useDrop } from './use-drop.ts';
import { useLegalTargets } from './use-legal-targets.ts';

/** Loaded behind the first paint, so that it is there when the first letter is typed. */
const loadSearch = () => import('./adding/node-search.tsx');
const NodeSearch = lazy(() => loadSearch().then((module) => ({ default: module.NodeSearch })));

const SNAP: [number, number] = [10, 10];
const MULTI_SELECT = ['Meta', 'Control'];
const PRO = { hideAttribution: true };

const miniClass = (node: CanvasNode) => (node.type === 'note' ? 'canvas-minimap-note' : '');

/** The connection being drawn, and which targets may take it. */
function useConnecting(
  root: RefObject<HTMLElement | null>,
  openSearch: (request: NodeSearchRequest) => void,
) {
  const { store, catalog } = useEditor();
  const { mark, clear } = useLegalTargets(root);
  const [isDrawing, setDrawing] = useState(false);
  const isValid = useCallback(
    (wish: Connection) => refusalsOf(catalog, store.getState().document)(wish) === null,
    [catalog, store],
  );
  const onConnect = useCallback(
    (wish: Connection) => void store.getState().edit((document) => connect(catalog, document, wish)),
    [catalog, store],
  );
  const onReconnect = useCallback(
    (edge: CanvasEdge, wish: Connection) =>
      void store.getState().edit((document) => reconnect(catalog, document, edge.id, wish)),
    [catalog, store],
  );
  const onEnd = useCallback(
    (_event: MouseEvent | TouchEvent, state: FinalConnectionState) => {
      setDrawing(false);
      clear();
      if (state.isValid || state.toNode || !state.fromNode || state.fromHandle?.type !== 'source') return;
      openSearch({ after: { id: state.fromNode.id, handle: state.fromHandle.id ?? undefined } });
    },
    [openSearch, clear],
  );
  const onStart = useCallback(
    (_event: MouseEvent | TouchEvent, from: OnConnectStartParams) => {
      setDrawing(true);
      mark(from);
    },
    [mark],
  );
  return { isDrawing, isValid, onConnect, onReconnect, onStart, onEnd };
}

export function Canvas() {
  const t = useEditorTexts('canvas');
  const { view } = useEditor();
  const far = useFlowStore(distance);
  const root = useRef<HTMLDivElement>(null);
  const drawn = useDrawnNodes();
  const [search, setRequest] = useState<NodeSearchRequest>();
  // Letters that come before the search is there are its first ones, wherever the node will go.
  const setSearch = useCallback(
    (request: NodeSearchRequest | undefined) =>
      setRequest((before) =>
        before !== undefined && request?.text !== undefined
          ? { ...before, text: (before.text ?? '') + request.text }
          : request,
      ),
    [],
  );
  useEffect(() => void loadSearch(), []);
  const connecting = useConnecting(root, setSearch);
  const drop = useDrop();
  const isEmpty = useDocument((state) => state.document.nodes.length === 0);
  const openNode = useOpenNode();
  useCanvasKeys(setSearch);
  // Also a click on the node that is selected already brings its panel to the front.
  const showPanel = useCallback(() => {
    if (view.getState().side !== 'outline') view.setState({ side: 'node' });
  }, [view]);
  const actions = useMemo(
    () => ({ insertOnEdge: (edge_id: string) => setSearch({ edge_id }), openSearch: setSearch }),
    [setSearch],
  );
  const onInit = useCallback(
    (instance: ReactFlowInstance<CanvasNode, CanvasEdge>) => firstView(instance),
    [],
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
        >
          <ReactFlow<CanvasNode, CanvasEdge>
            className={clsx(connecting.isDrawing && 'canvas-connecting', far)}
            nodes={drawn.nodes}
            edges={drawn.edges}
            nodeTypes={NODE_TYPES}
            edgeTypes={EDGE_TYPES}
            onInit={onInit}
            onNodesChange={drawn.onNodesChange}
            onEdgesChange={drawn.onEdgesChange}
            onNodeDragStop={drawn.onNodeDragStop}
            onSelectionDragStop={drawn.onSelectionDragStop}
            onConnect={connecting.onConnect}
            onConnectStart={connecting.onStart}
            onConnectEnd={connecting.onEnd}
            onReconnect={connecting.onReconnect}
            isValidConnection={connecting.isValid}
            onNodeClick={showPanel}
            // A note is written in place.
            onNodeDoubleClick={(_event, { id, type }) => (type === 'note' ? undefined : openNode(id))}
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
          {drop.isOver ? (
            <div className="pointer-events-none absolute inset-3 flex items-center justify-center rounded-l border-2 border-dashed border-accent bg-accent-tint/70 text-lg font-medium text-accent-text">
              {t('drop_file')}
            </div>
          ) : null}
          <Suspense>
            {search ? <NodeSearch request={search} onClose={() => setSearch(undefined)} /> : null}
          </Suspense>
        </div>
      </CanvasMenu>
    </CanvasActionsProvider>
  );
}
