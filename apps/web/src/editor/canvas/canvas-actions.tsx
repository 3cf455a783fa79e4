import { createContext, type ReactNode, use } from 'react';
import type { NodeSearchRequest } from './adding/node-search.tsx';

/** Actions that drawn elements ask of the canvas. */
export interface CanvasActions {
  /** Opens the node search; the chosen node is put into the connection. */
  insertOnEdge(edge_id: string): void;
  openSearch(request: NodeSearchRequest): void;
}

const Context = createContext<CanvasActions | undefined>(undefined);

export function CanvasActionsProvider({
  actions,
  children,
}: {
  actions: CanvasActions;
  children: ReactNode;
}) {
  return <Context value={actions}>{children}</Context>;
}

export function useCanvasActions(): CanvasActions {
  const actions = use(Context);
  if (!actions) throw new Error('useCanvasActions is called outside a canvas');
  return actions;
}

/** Undefined on a canvas that only shows. */
export const useOptionalCanvasActions = (): CanvasActions | undefined => use(Context);
