import {
  type Catalog,
  type Connection,
  type ConnectionRefusal,
  compileGraph,
  connectionRefusal,
  isToolEdge,
  TOOL_OUTPUT,
  type WorkflowDocument,
  type WorkflowEdge,
  type WorkflowGraph,
} from '@millrace/engine';
import {
  collectIds,
  type Edit,
  edited,
  freeId,
  refused,
  sourceHandle,
  targetHandle,
} from '../../../features/document/edit.ts';

/** While a connection is drawn the same document is asked for every handle. */
const compiled = new WeakMap<WorkflowDocument, { catalog: Catalog; graph: WorkflowGraph }>();

/** The graph of a document as the engine reads it, compiled once. */
export function compileDocument(catalog: Catalog, document: WorkflowDocument): WorkflowGraph {
  const known = compiled.get(document);
  if (known?.catalog === catalog) return known.graph;
  const graph = compileGraph(document, catalog);
  compiled.set(document, { catalog, graph });
  return graph;
}

/** Why connections of a document cannot be made, as the engine says; null when one can. */
export function createConnectionCheck(
  catalog: Catalog,
  document: WorkflowDocument,
): (wish: Connection) => ConnectionRefusal | null {
  const graph = compileDocument(catalog, document);
  return (wish) => connectionRefusal(graph, wish);
}

const createEdge = (document: WorkflowDocument, wish: Connection): WorkflowEdge => ({
  id: freeId(collectIds(document.edges), `edge_${wish.source}_${wish.target}`),
  source: wish.source,
  target: wish.target,
  ...(isToolEdge(wish)
    ? { sourceHandle: TOOL_OUTPUT }
    : sourceHandle(wish) === 'output'
      ? {}
      : { sourceHandle: sourceHandle(wish) }),
  ...(targetHandle(wish) === 'input' ? {} : { targetHandle: targetHandle(wish) }),
});

export function connect(catalog: Catalog, document: WorkflowDocument, wish: Connection): Edit {
  const code = createConnectionCheck(catalog, document)(wish);
  if (code) return refused({ code });
  return edited({ ...document, edges: [...document.edges, createEdge(document, wish)] });
}

/** Leads an existing edge somewhere else. */
export function reconnect(
  catalog: Catalog,
  document: WorkflowDocument,
  edgeId: string,
  wish: Connection,
): Edit {
  const without = { ...document, edges: document.edges.filter((edge) => edge.id !== edgeId) };
  return connect(catalog, without, wish);
}
