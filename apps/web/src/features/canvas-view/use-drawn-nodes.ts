import { applyNodeChanges, type EdgeChange, type NodeChange } from '@xyflow/react';
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { move } from '../document/arrange.ts';
import { useDocument, useOpenDocument, useProblems } from '../document/context.ts';
import { type CanvasEdge, type CanvasNode, createProjection, kept } from './elements/flow-elements.ts';
import { useCanvasViewTexts } from './texts/use-canvas-view-texts.ts';

/**
 * Takes over what the document says now, and keeps what only the canvas knows: sizes as measured. A node that did not
 * change keeps its object.
 */
function takeOver(live: CanvasNode[], next: readonly CanvasNode[]): CanvasNode[] {
  const before = new Map(live.map((node) => [node.id, node]));
  const taken = next.map((node) => {
    const known = before.get(node.id);
    if (!known) return node;
    const isSame =
      known.data === node.data &&
      known.selected === node.selected &&
      known.position.x === node.position.x &&
      known.position.y === node.position.y;
    if (isSame) return known;
    const { measured, width, height } = known;
    return {
      ...node,
      ...(measured ? { measured } : {}),
      ...(width === undefined ? {} : { width }),
      ...(height === undefined ? {} : { height }),
    };
  });
  return kept(live, taken);
}

/** Records moves by arrow keys, which end with no event of a drag. Moves of the same nodes in a row undo as one. */
function useKeyMoves(): (changes: readonly NodeChange<CanvasNode>[]) => void {
  const { store } = useOpenDocument();
  const isDragging = useRef(false);
  return useCallback(
    (changes) => {
      const moves = changes.filter((change) => change.type === 'position');
      if (moves.length === 0) return;
      const wasDragging = isDragging.current;
      isDragging.current = moves.some((change) => change.dragging);
      if (wasDragging || isDragging.current) return;
      const to = new Map(moves.flatMap(({ id, position }) => (position ? [[id, position] as const] : [])));
      store
        .getState()
        .edit((current) => move(current, to), { merge: `move ${[...to.keys()].toSorted().join(' ')}` });
    },
    [store],
  );
}

/** Records where nodes were dragged. The handlers stay the same: a new one makes every element of React Flow check for changes. */
function useDragEnd() {
  const { store } = useOpenDocument();
  return useMemo(() => {
    const record = (moved: readonly CanvasNode[]) =>
      void store
        .getState()
        .edit((current) => move(current, new Map(moved.map((node) => [node.id, node.position]))));
    return {
      onNodeDragStop: (_event: unknown, _node: CanvasNode, nodes: CanvasNode[]) => record(nodes),
      onSelectionDragStop: (_event: unknown, nodes: CanvasNode[]) => record(nodes),
    };
  }, [store]);
}

/** The chosen ones after the changes; undefined where none of them chooses. */
function pick(before: ReadonlySet<string>, changes: readonly (NodeChange<CanvasNode> | EdgeChange)[]) {
  const picked = changes.filter((change) => change.type === 'select');
  if (picked.length === 0) return undefined;
  const chosen = new Set(before);
  for (const { id, selected } of picked) chosen[selected ? 'add' : 'delete'](id);
  return chosen;
}

/** Positions during a drag are kept here; the document gets one step when it ends. */
export function useDrawnNodes() {
  const { store, catalog } = useOpenDocument();
  const document = useDocument((state) => state.document);
  const selection = useDocument((state) => state.selection);
  const t = useCanvasViewTexts();
  const projection = useMemo(
    () => createProjection(catalog, (source, target) => t('edge', { source, target })),
    [catalog, t],
  );
  const found = useProblems();
  const nodes = useMemo(
    () => projection.nodes(document, selection.nodes, found),
    [projection, document, selection.nodes, found],
  );
  const edges = useMemo(
    () => projection.edges(document, selection.edges),
    [projection, document, selection.edges],
  );
  const [live, setLive] = useState<CanvasNode[]>(nodes);
  useLayoutEffect(() => setLive((current) => takeOver(current, nodes)), [nodes]);

  const recordKeyMoves = useKeyMoves();
  const onNodesChange = useCallback(
    (changes: NodeChange<CanvasNode>[]) => {
      setLive((current) => applyNodeChanges(changes, current));
      recordKeyMoves(changes);
      const { selection: before, select } = store.getState();
      const chosen = pick(before.nodes, changes);
      if (chosen) select({ nodes: chosen, edges: before.edges });
    },
    [store, recordKeyMoves],
  );
  const onEdgesChange = useCallback(
    (changes: EdgeChange<CanvasEdge>[]) => {
      const { selection: before, select } = store.getState();
      const chosen = pick(before.edges, changes);
      if (chosen) select({ nodes: before.nodes, edges: chosen });
    },
    [store],
  );
  return { nodes: live, edges, count: document.nodes.length, onNodesChange, onEdgesChange, ...useDragEnd() };
}
