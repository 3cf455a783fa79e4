import {
  type Catalog,
  type Connection,
  type ConnectionRefusal,
  compileGraph,
  connectionRefusal,
  type WorkflowDocument,
  type WorkflowEdge,
} from '@millrace/engine';
import { type Edit, edited, freeId, idsOf, refused, sourceHandle, targetHandle } from './edit.ts';

type Ask = (wish: Connection) => ConnectionRefusal | null;

/** While a connection is drawn the same document is asked for every handle. */
const asked = new WeakMap<WorkflowDocument, { catalog: Catalog; ask: Ask }>();

/** Why connections of a document cannot be made, as the engine says; null when one can. */
export function refusalsOf(catalog: Catalog, document: WorkflowDocument): Ask {
  const known = asked.get(document);
  if (known?.catalog === catalog) return known.ask;
  const graph = compileGraph(document, catalog);
  const ask: Ask = (wish) => connectionRefusal(graph, wish);
  asked.set(document, { catalog, ask });
  return ask;
}

const edgeOf = (document: WorkflowDocument, wish: Connection): WorkflowEdge => ({
  id: freeId(idsOf(document.edges), `edge_${wish.source}_${wish.target}`),
  source: wish.source,
  target: wish.target,
  ...(sourceHandle(wish) === 'output' ? {} : { sourceHandle: sourceHandle(wish) }),
  ...(targetHandle(wish) === 'input' ? {} : { targetHandle: targetHandle(wish) }),
});

export function connect(catalog: Catalog, document: WorkflowDocument, wish: Connection): Edit {
  const code = refusalsOf(catalog, document)(wish);
  if (code) return refused({ code });
  return edited({ ...document, edges: [...document.edges, edgeOf(document, wish)] });
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
