import type { WorkflowDocument } from '@millrace/engine';
import type { Steps } from '../../features/document/store.ts';
import { merge } from '../document/merge.ts';

/** Further steps are forgotten: each is a merge of the whole graph while the page waits. */
const MAX_STEPS = 50;

interface Change {
  readonly before: WorkflowDocument;
  readonly after: WorkflowDocument;
}

/** With the nearest step first; ends at one that changed a place which others have changed since. */
function rebaseFrom(nearest: readonly WorkflowDocument[], { before, after }: Change): WorkflowDocument[] {
  const rebased: WorkflowDocument[] = [];
  for (const step of nearest.slice(0, MAX_STEPS)) {
    const { document, conflicts } = merge(before, step, after);
    if (conflicts.length > 0) break;
    rebased.push(document);
  }
  return rebased;
}

/** The steps of a person on top of what others saved, so that undoing one leaves the others' changes. */
export const rebaseSteps = ({ past, future }: Steps, change: Change): Steps => ({
  past: rebaseFrom(past.toReversed(), change).toReversed(),
  future: rebaseFrom(future, change),
});
