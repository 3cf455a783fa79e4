import type { WorkflowDocument } from '@millrace/engine';
import { parentsOf } from '../../../editor/document/edges/flow-order.ts';
import { labelOf, nodeById } from '../../../editor/document/edit.ts';

interface NodeInput {
  /** Labels of the nodes that it comes from; empty for what started the run. */
  readonly from: readonly string[];
  readonly value: unknown;
}

/** What a node of a run was given, with what each label held and what the run was started with. */
export function nodeInput(
  document: WorkflowDocument,
  node_id: string,
  { values, inputs }: { values: Readonly<Record<string, unknown>>; inputs: unknown },
): NodeInput {
  const parents = parentsOf(document, node_id).flatMap((id) => nodeById(document, id) ?? []);
  const from = [...new Set(parents.map(labelOf))];
  const [only, ...others] = from;
  if (only === undefined) return { from, value: inputs };
  if (others.length === 0) return { from, value: values[only] };
  const given = from.filter((label) => label in values);
  return { from, value: Object.fromEntries(given.map((label) => [label, values[label]])) };
}
