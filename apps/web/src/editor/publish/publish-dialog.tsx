import { discardDraft, publishWorkflow, type Workflow } from '@millrace/contracts';
import type { Problem } from '@millrace/engine';
import { useMutation } from '@tanstack/react-query';
import { CircleAlert, TriangleAlert } from 'lucide-react';
import { useEffect, useState } from 'react';
import { ApiError, api } from '../../data/api.ts';
import { useDraftDiff } from '../../data/versions.ts';
import { Button } from '../../ui/actions/button.tsx';
import { Keys } from '../../ui/display/keys.tsx';
import { SkeletonRows } from '../../ui/display/skeleton.tsx';
import { Field } from '../../ui/forms/field.tsx';
import { TextArea } from '../../ui/forms/input.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.ts';
import { useDocument, useEditor, useProblems } from '../context.tsx';
import { labelOf } from '../document/edit.ts';
import { documentOf, type Saving, theirState } from '../session/use-saving.ts';
import { isUnsaved } from '../store.ts';
import { useEditorTexts } from '../texts/use-editor-texts.ts';
import { Changes } from '../versions/changes.tsx';

interface PublishDialogProps {
  workflow: Workflow;
  saving: Saving;
  onClose: () => void;
}

const FORM = 'publish-form';
const LONGEST_NOTE = 2_000;

/** Makes the draft live: what changes for callers, what is wrong with it, and a note for the list of versions. */
export function PublishDialog({ workflow, saving, onClose }: PublishDialogProps) {
  const t = useEditorTexts('publish');
  const { store } = useEditor();
  const [note, setNote] = useState('');
  const problems = useNamedProblems();
  const unsaved = useDocument(isUnsaved);
  const { save, settle, replace, base } = saving;
  // What is published is the draft as the server has it.
  useEffect(() => void save(), [save]);
  const { id, version_id, published } = workflow;
  const diff = useDraftDiff(workflow, version_id, !unsaved);
  const publish = useMutation({
    mutationFn: async () => {
      if (!(await save())) throw new Error(t('not_saved'));
      return api(publishWorkflow, { params: { id }, body: { note, base_updated_at: base() } });
    },
    onSuccess: (saved) => {
      settle(saved);
      toast.done(t('done', { number: saved.version_number }));
      onClose();
    },
    // The other changes are on the canvas and in the list of changes then, to be looked at first.
    onError: (error) => {
      const theirs = theirState(error);
      if (theirs) replace(theirs);
    },
  });
  const discard = useMutation({
    mutationFn: () => api(discardDraft, { params: { id }, query: { base_updated_at: base() } }),
    onSuccess: (saved) => {
      replace(saved);
      toast.done(t('discarded'), { undo: { label: t('undo'), run: store.getState().undo } });
      onClose();
    },
  });
  const error = publish.error ?? discard.error;
  const refused = error instanceof ApiError && theirState(error) ? t('others') : error?.message;
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  return (
    <Dialog
      open
      onOpenChange={(open) => (open ? undefined : onClose())}
      title={t('title')}
      description={published ? t('description', { number: workflow.version_number }) : t('first')}
      size="wide"
      footer={
        <>
          {published && workflow.unpublished_changes ? (
            <Button
              className="mr-auto"
              tone="quiet-danger"
              busy={discard.isPending}
              onClick={() => discard.mutate()}
            >
              {t('discard')}
            </Button>
          ) : null}
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button type="submit" form={FORM} tone="primary" busy={publish.isPending} disabled={unsaved}>
            {errors > 0 ? t('publish_anyway') : t('publish')}
            <Keys keys="mod+enter" inverse />
          </Button>
        </>
      }
    >
      <form
        id={FORM}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          publish.mutate();
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          if (!unsaved && !publish.isPending) publish.mutate();
        }}
      >
        {refused ? (
          <p role="alert" className="text-sm text-danger">
            {refused}
          </p>
        ) : null}
        <Field label={t('note')} hint={t('note_hint')} optional>
          {(control) => (
            <TextArea
              {...control}
              autoFocus
              rows={2}
              maxLength={LONGEST_NOTE}
              value={note}
              onChange={(event) => setNote(event.target.value)}
            />
          )}
        </Field>
        <Checks problems={problems} />
        {diff.data ? <Changes diff={diff.data} current={documentOf(workflow)} /> : <SkeletonRows rows={4} />}
      </form>
    </Dialog>
  );
}

interface NamedProblem extends Problem {
  readonly label: string;
}

function useNamedProblems(): readonly NamedProblem[] {
  const problems = useProblems();
  const nodes = useDocument((state) => state.document.nodes);
  return nodes.flatMap((node) =>
    (problems.get(node.id) ?? []).map((problem) => ({ ...problem, label: labelOf(node) })),
  );
}

const MOST = 8;

function Checks({ problems }: { problems: readonly NamedProblem[] }) {
  const t = useEditorTexts('publish');
  if (problems.length === 0) return null;
  return (
    <section aria-label={t('checks')} className="rounded-m border border-warning-line bg-warning-tint p-3">
      <h3 className="font-medium">{t('found', { count: problems.length })}</h3>
      <ul className="mt-1 flex flex-col gap-1 text-sm">
        {problems.slice(0, MOST).map((problem, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a node may have the same problem twice
          <li key={index} className="flex items-start gap-1.5">
            {problem.severity === 'error' ? (
              <CircleAlert className="mt-0.5 size-3.5 shrink-0 text-danger" aria-label={t('error')} />
            ) : (
              <TriangleAlert className="mt-0.5 size-3.5 shrink-0 text-warning" aria-label={t('warning')} />
            )}
            <span>
              <span className="font-medium">{problem.label}</span>: {problem.message}
            </span>
          </li>
        ))}
      </ul>
      {problems.length > MOST ? (
        <p className="mt-1 text-sm">{t('more', { count: problems.length - MOST })}</p>
      ) : null}
    </section>
  );
}
