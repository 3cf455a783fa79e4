import { useWorkflowDeletions } from '../../data/workflows.ts';
import { useHomeTexts } from './texts/use-home-texts.ts';

/** A line for each deleted workflow whose runs are still being deleted. */
export function DeletionProgress() {
  const t = useHomeTexts();
  const { data = [] } = useWorkflowDeletions();
  return data.map(({ workflow_id, workflow_name: name, runs_deleted: done, runs_total: total }) => (
    <p
      key={workflow_id}
      role="status"
      className="border-b border-line bg-canvas px-4 py-2 text-sm text-soft sm:px-5"
    >
      {total === null ? t('deletion_begins', { name }) : t('deletion_progress', { name, done, total })}
    </p>
  ));
}
