import type { RunFact } from '@millrace/engine';
import { bringsOutsideContent } from '@millrace/nodes/runtime';
import type { RunBegin } from '../model/run.ts';
import type { PublishedWorkflow } from '../workflows/published-workflow.ts';
import { originOf } from './origin.ts';

/** Whether a node has returned content from outside that another run had read. */
const isReturned = (record: RunFact): boolean =>
  record.type === 'node_finished' && record.metadata?.['outside_content'] === true;

/** Whether a sub-workflow that this node of the run has executed had read content from outside. */
export const returnedOutsideTo = (records: readonly RunFact[], node_id: string): boolean =>
  records.some((record) => record.node_id === node_id && isReturned(record));

/** Whether anything in the run has read content from outside, so that its outputs may hold instructions of strangers. */
export function hasReadOutside(
  begin: Pick<RunBegin, 'options'>,
  { version }: Pick<PublishedWorkflow, 'version'>,
  records: readonly RunFact[],
): boolean {
  if (originOf(begin).outside_content === true) return true;
  return records.some((record) => {
    if (record.type !== 'node_finished' || record.status === 'skipped') return false;
    const node = version.graph.nodes[version.graph.indexOf(record.node_id)];
    return isReturned(record) || node === undefined || bringsOutsideContent(node);
  });
}
