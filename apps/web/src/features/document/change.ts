import type { Json, WorkflowDocument } from '@millrace/engine';
import { updateNode } from './edit.ts';
import { same } from './same.ts';

/** Sets one parameter; `undefined` takes it out, so that the definition's default holds. */
export function setParameter(
  document: WorkflowDocument,
  id: string,
  { name, value }: { name: string; value: Json | undefined },
): WorkflowDocument {
  return updateNode(document, id, (node) => {
    if (same(node.data[name], value)) return node;
    const { [name]: _, ...rest } = node.data;
    return { ...node, data: value === undefined ? rest : { ...rest, [name]: value } };
  });
}

const isActive = (data: { active?: Json }): boolean => data.active !== false;

/** Switches nodes off, or on when all of them are off already. */
export function toggleActive(document: WorkflowDocument, chosen: ReadonlySet<string>): WorkflowDocument {
  const picked = document.nodes.filter((node) => chosen.has(node.id));
  if (picked.length === 0) return document;
  const active = !picked.some((node) => isActive(node.data));
  return {
    ...document,
    nodes: document.nodes.map((node) =>
      chosen.has(node.id) ? { ...node, data: { ...node.data, active } } : node,
    ),
  };
}
