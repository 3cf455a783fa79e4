import { createContext, type ReactNode, use } from 'react';

/** Where a new node goes; nothing set: behind the selected node, else into the middle of what one sees. */
export interface Placement {
  /** Comes with the function that puts it there, which only the search over types loads. */
  edge_id?: string;
  after?: { id: string; handle: string | undefined };
  /** Where the middle of the node's left edge should be, in coordinates of the graph. */
  at?: { x: number; y: number };
  /** Leaves the selection out of account. */
  loose?: boolean;
}

/** Where the chosen node goes, and what is typed already. */
export interface NodeSearchRequest extends Placement {
  /** First letters, typed on the canvas. */
  text?: string;
  /** Looks for a node of this graph instead of a type to add. */
  find?: boolean;
}

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
