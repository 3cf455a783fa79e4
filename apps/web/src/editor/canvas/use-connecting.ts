import type { Connection } from '@millrace/engine';
import type { FinalConnectionState, OnConnectStartParams } from '@xyflow/react';
import { type RefObject, useCallback, useState } from 'react';
import type { NodeSearchRequest } from '../../features/canvas-view/canvas-actions.tsx';
import type { CanvasEdge } from '../../features/canvas-view/elements/flow-elements.ts';
import { connect, createConnectionCheck, reconnect } from '../document/edges/connect.ts';
import { useEditor } from '../state/context.tsx';
import { useLegalTargets } from './use-legal-targets.ts';

/** The connection being drawn, and which targets may take it. */
export function useConnecting(
  root: RefObject<HTMLElement | null>,
  openSearch: (request: NodeSearchRequest) => void,
) {
  const { store, catalog } = useEditor();
  const { mark, clear } = useLegalTargets(root);
  const [isDrawing, setDrawing] = useState(false);
  const isValid = useCallback(
    (wish: Connection) => createConnectionCheck(catalog, store.getState().document)(wish) === null,
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
