import { notFound } from '../../core/app-error.ts';
import { newId } from '../../core/ids.ts';
import { triggerNodes } from '../../resources/triggers/publish.ts';
import type { Graph } from '../../resources/workflows/record.ts';
import type { HostedTrigger } from '../host/hosted-trigger.ts';

/** The properties that a trigger node of a draft has in common with one that is hosted. */
export type TriggerOfDraft = Pick<
  HostedTrigger,
  'workflow_id' | 'owner_id' | 'node_id' | 'type' | 'kind' | 'settings'
>;

/** As a trigger that no process hosts and that was never read. */
export const unhosted = (trigger: TriggerOfDraft, id = newId()): HostedTrigger => ({
  ...trigger,
  id,
  cursor: null,
  next_due_ms: null,
  is_armed: false,
  epoch: 0,
  failures: 0,
});

/** @throws AppError `not_found` when the graph has no such node, or nothing outside fires it */
export function triggerOfDraft(
  { id, owner_id }: { readonly id: string; readonly owner_id: string },
  graph: Graph,
  node_id: string,
): HostedTrigger {
  const node = triggerNodes(graph).find((trigger) => trigger.node_id === node_id);
  if (!node) throw notFound('Trigger');
  const { type, kind, settings } = node;
  return unhosted({ workflow_id: id, owner_id, node_id, type, kind, settings });
}
