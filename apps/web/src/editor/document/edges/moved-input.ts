import { type Catalog, nameInput, type WorkflowDocument } from '@millrace/engine';
import { nodeById } from '../../../features/document/edit.ts';
import { getNodeLabel } from '../../../lib/graph/node-label.ts';

/** A node whose `$input` means another node after a removal. */
export interface MovedInput {
  readonly label: string;
  /** Label of the node whose output `$input` is now. */
  readonly reads: string;
}

/** The meaning of `$input` behind a removed node; undefined when nothing reads it. */
export function movedInput(
  catalog: Catalog,
  before: WorkflowDocument,
  after: WorkflowDocument,
): MovedInput | undefined {
  const known = new Set(before.edges.map(({ id }) => id));
  const bridge = after.edges.find(({ id }) => !known.has(id));
  const node = bridge && nodeById(after, bridge.target);
  const source = bridge && nodeById(after, bridge.source);
  // `nameInput` only changes texts that read `$input`.
  if (!node || !source || nameInput(after, catalog, node.id) === after) return undefined;
  return { label: getNodeLabel(node), reads: getNodeLabel(source) };
}
