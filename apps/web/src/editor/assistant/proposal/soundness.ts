import {
  type Catalog,
  type Problem,
  renameLabel,
  type WorkflowDocument,
  type WorkflowNode,
} from '@millrace/engine';
import { getNodeLabel } from '../../../lib/graph/node-label.ts';
import { findProblems } from '../../document/problems.ts';

/** The graph as it is, with the whole proposal, and with the parts of it that are chosen. */
export interface Compared {
  readonly current: WorkflowDocument;
  readonly whole: WorkflowDocument;
  readonly chosen: WorkflowDocument;
}

/** Why parts of a proposal cannot be accepted without the others. */
export type Unsound =
  | { readonly kind: 'problem'; readonly message: string }
  | { readonly kind: 'reads'; readonly reader: string; readonly missing: string };

const buildKey = ({ node_id, field, code, message }: Problem): string =>
  JSON.stringify([node_id, field, code, message]);

/** A label that no graph has; renaming to it shows which nodes refer to the one before. */
const PROBE = `probe_${crypto.randomUUID().replaceAll('-', '')}`;

/** Nodes of a document that refer to a node by its label. */
function findReaders(document: WorkflowDocument, node: WorkflowNode, catalog: Catalog): WorkflowNode[] {
  const nodes = [...document.nodes.filter(({ id }) => id !== node.id), node];
  const renamed = renameLabel({ nodes, edges: [] }, catalog, { node_id: node.id, label: PROBE });
  return document.nodes.filter(({ id }) => {
    const after = renamed.nodes.find((other) => other.id === id);
    return id !== node.id && JSON.stringify(after?.data ?? null).includes(PROBE);
  });
}

/** References to nodes that were left out. An expression may also mean a field of its input, which no check finds. */
function missingNodes({ current, whole, chosen }: Compared, catalog: Catalog): Unsound[] {
  const labels = new Set(chosen.nodes.map(getNodeLabel));
  return whole.nodes
    .filter((node) => !labels.has(getNodeLabel(node)))
    .flatMap((node) => {
      const before = new Set(findReaders(current, node, catalog).map(({ id }) => id));
      return findReaders(chosen, node, catalog)
        .filter(({ id }) => !before.has(id))
        .map(
          (reader): Unsound => ({ kind: 'reads', reader: getNodeLabel(reader), missing: getNodeLabel(node) }),
        );
    });
}

/**
 * The parts that are wrong only because others were left out: neither the graph as it is nor the whole proposal has the
 * problem.
 */
export function unsoundParts(compared: Compared, catalog: Catalog): Unsound[] {
  const { current, whole, chosen } = compared;
  const known = new Set([...findProblems(current, catalog), ...findProblems(whole, catalog)].map(buildKey));
  const problems = findProblems(chosen, catalog)
    .filter((problem) => !known.has(buildKey(problem)))
    .map(({ message }): Unsound => ({ kind: 'problem', message }));
  return [...problems, ...missingNodes(compared, catalog)];
}
