import type { WorkflowSummary } from '@millrace/contracts';
import { moveWorkflow, setScheduled } from '../../../data/folders.ts';
import { publishDraft, removeWorkflow, setActive } from '../../../data/workflows.ts';
import { confirm } from '../../../ui/overlays/confirm-store.ts';
import { useHomeTexts } from '../texts/use-home-texts.ts';
import { useBulkChange } from './use-bulk-change.ts';

type Workflows = readonly WorkflowSummary[];

/** Changes of several workflows at once. A deletion that the person does not confirm gives false. */
export function useWorkflowChanges() {
  const t = useHomeTexts();
  const { finished, run } = useBulkChange();
  return {
    /** Of the change that is under way. */
    finished,
    move: (items: Workflows, folder_id: string | null, place: string) =>
      run({
        items: items.filter((workflow) => workflow.folder_id !== folder_id),
        change: ({ id }) => moveWorkflow({ id, folder_id }),
        getDone: (count) => t('moved_some', { count, place }),
        undo: ({ id, folder_id: before }) => moveWorkflow({ id, folder_id: before }),
      }),
    publish: (items: Workflows) =>
      run({
        items,
        change: ({ id }) => publishDraft(id),
        getDone: (count) => t('published_some', { count }),
      }),
    switch: (items: Workflows, active: boolean) =>
      run({
        items,
        change: ({ id }) => setActive({ id, active }),
        getDone: (count) => t(active ? 'switched_on_some' : 'switched_off_some', { count }),
        undo: ({ id }) => setActive({ id, active: !active }),
      }),
    schedule: (items: Workflows) =>
      run({
        items,
        change: ({ id }) => setScheduled({ id, scheduled: true }),
        getDone: (count) => t('scheduled_some', { count }),
        undo: async ({ id, folder_id }) => {
          await setScheduled({ id, scheduled: false });
          if (folder_id !== null) await moveWorkflow({ id, folder_id });
        },
      }),
    restore: (items: Workflows) =>
      run({
        items,
        change: ({ id }) => setScheduled({ id, scheduled: false }),
        getDone: (count) => t('restored_some', { count }),
        undo: ({ id }) => setScheduled({ id, scheduled: true }),
      }),
    remove: async (items: Workflows) => {
      const sure = await confirm({
        title: t('delete_some_title', { count: items.length }),
        body: t('delete_some_body', { count: items.length }),
        action: t('delete_now'),
      });
      if (!sure) return false;
      await run({
        items,
        change: ({ id }) => removeWorkflow(id),
        getDone: (count) => t('deleted_some', { count }),
      });
      return true;
    },
  };
}
