import { plainWords } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { invalidField } from '../../core/app-error.ts';
import type { Graph } from '../workflows/record.ts';
import { triggerNodes } from './publish.ts';

interface Mistake {
  readonly node_id: string;
  readonly field: string;
  readonly message: string;
}

/** The first schedule that would never be due because it cannot be read; one that is switched off may wait for its author. */
export function findUnreadableSchedule(graph: Graph): Mistake | undefined {
  for (const { node_id, type, kind, settings, active } of triggerNodes(graph)) {
    if (kind !== 'clock' || !active) continue;
    const [issue] = catalog.get(type)?.params.safeParse(settings, { error: plainWords }).error?.issues ?? [];
    if (issue) return { node_id, field: issue.path.join('.'), message: issue.message };
  }
  return undefined;
}

/**
 * Called before a graph is published: a schedule that cannot be read would be accepted and then never start a run.
 *
 * @throws AppError `invalid_input` with the place of the field
 */
export function requireReadableSchedules(graph: Graph): void {
  const mistake = findUnreadableSchedule(graph);
  if (!mistake) return;
  const { node_id, field, message } = mistake;
  const index = graph.nodes.findIndex(({ id }) => id === node_id);
  const label = graph.nodes[index]?.data['label'];
  throw invalidField(
    ['body', 'nodes', index, 'data', field],
    `The schedule of "${typeof label === 'string' ? label : node_id}" cannot be read: ${field} ${message}. Correct it, switch the node off, or save the graph as a draft with draft=true`,
    'schedule_invalid',
  );
}
