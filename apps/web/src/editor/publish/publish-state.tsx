import type { Workflow } from '@millrace/contracts';
import { useUpdateWorkflow } from '../../data/workflows.ts';
import { useDocument } from '../../features/document/context.ts';
import { isUnsaved } from '../../features/document/store.ts';
import { Badge } from '../../ui/display/status-chip.tsx';
import { Switch } from '../../ui/forms/toggles.tsx';
import { showFailure, toast } from '../../ui/overlays/toast.ts';
import { useEditorTexts } from '../texts/use-editor-texts.ts';

/** Whether callers get something else than what is on the canvas. */
export function useIsUnpublished({ published, unpublished_changes }: Workflow): boolean {
  const unsaved = useDocument(isUnsaved);
  return unsaved || !published || unpublished_changes;
}

/** Says in a word what runs when the workflow is called. */
export function PublishState({ workflow }: { workflow: Workflow }) {
  const t = useEditorTexts('publish');
  const unpublished = useIsUnpublished(workflow);
  if (!workflow.published) return <Badge tone="neutral">{t('never')}</Badge>;
  if (unpublished) return <Badge tone="warning">{t('unpublished')}</Badge>;
  return <Badge tone="success">{t('live', { number: workflow.version_number })}</Badge>;
}

/** Stops triggers and calls of the whole workflow, or lets them in again. */
export function useToggleActive({ id, active }: Workflow): () => void {
  const t = useEditorTexts('publish');
  const { mutate } = useUpdateWorkflow();
  return () =>
    mutate(
      { id, active: !active },
      {
        onSuccess: (saved) => toast.done(saved.active ? t('switched_on') : t('switched_off')),
        onError: showFailure,
      },
    );
}

export function ActiveSwitch({ workflow }: { workflow: Workflow }) {
  const t = useEditorTexts('publish');
  const toggle = useToggleActive(workflow);
  const { active, access } = workflow;
  return <Switch label={t('active')} checked={active} disabled={access !== 'owner'} onChange={toggle} />;
}
