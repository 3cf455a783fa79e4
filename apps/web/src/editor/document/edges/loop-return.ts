import { type Catalog, resolvePorts, type WorkflowDocument, type WorkflowNode } from '@millrace/engine';
import { sourceHandle, targetHandle } from '../../../features/document/edit.ts';
import { connect } from './connect.ts';

const LOOP = 'loop';

interface Added {
  before: WorkflowNode;
  /** The output of `before` that the new node is connected to. */
  from: string;
  node: WorkflowNode;
}

/**
 * Keeps the body of a loop closed when a node is added to it: the first node of the body leads back to the loop, and a node
 * behind the last one takes over its way back. A node with several outputs is left to the person.
 */
export function leadBack(catalog: Catalog, document: WorkflowDocument, added: Added): WorkflowDocument {
  const { before, from, node } = added;
  const [output, ...others] = resolvePorts(catalog, node).outputs;
  if (output === undefined || others.length > 0) return document;
  const isBack = (edge: WorkflowDocument['edges'][number]) => targetHandle(edge) === LOOP;
  const back = document.edges.find(
    (edge) => edge.source === before.id && sourceHandle(edge) === from && isBack(edge),
  );
  const opens = from === LOOP && catalog.get(before.type)?.traits.loop === true;
  const isClosed = document.edges.some((edge) => edge.target === before.id && isBack(edge));
  const loop = back?.target ?? (opens && !isClosed ? before.id : undefined);
  if (loop === undefined) return document;
  const open = { ...document, edges: document.edges.filter((edge) => edge !== back) };
  const wish = { source: node.id, sourceHandle: output, target: loop, targetHandle: LOOP };
  const closed = connect(catalog, open, wish);
  return 'document' in closed ? closed.document : document;
}
