import type { WorkflowDocument } from '@millrace/engine';
import { nodeById } from '../../../features/document/edit.ts';
import { findParents } from '../../../features/document/flow-order.ts';
import { getNodeLabel } from '../../../lib/graph/node-label.ts';

interface NodeInput {
  /** Labels of the nodes that it comes from; empty for what started the run. */
  readonly from: readonly string[];
  readonly value: unknown;
}

/** The input of a node of a run, with what each label held and what the run was started with. */
export function nodeInput(
  document: WorkflowDocument,
  node_id: string,
  { values, inputs }: { values: Readonly<Record<string, unknown>>; inputs: unknown },
): NodeInput {
  const parents = findParents(document, node_id).flatMap((id) => nodeById(document, id) ?? []);
  const from = [...new Set(parents.map(getNodeLabel))];
  const [only, ...others] = from;
  if (only === undefined) return { from, value: inputs };
  if (others.length === 0) return { from, value: values[only] };
  const given = from.filter((label) => label in values);
  return { from, value: Object.fromEntries(given.map((label) => [label, values[label]])) };
}
