import { discardDraft, publishWorkflow, readPublishGate, type Workflow } from '@millrace/contracts';
import type { WorkflowDocument } from '@millrace/engine';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../data/api.ts';
import { answersTo, renew } from '../../data/endpoint.ts';
import { isHeldByGate } from '../../data/publish-gate.ts';
import { toast } from '../../ui/overlays/toast.ts';
import type { Saving } from '../session/saving.ts';
import { hasNewGraph, savedMeanwhile } from '../session/server-state.ts';
import { useEditor } from '../state/context.tsx';
import { useEditorTexts } from '../texts/use-editor-texts.ts';

/** Why the draft was neither published nor discarded. */
type Refusal =
  | { readonly why: 'gate' }
  /** Saved in the meantime: another graph, by the same person or another, or only the name or settings. */
  | { readonly why: 'own' | 'other' | 'settings'; readonly theirs: Workflow }
  | { readonly why: 'error'; readonly message: string };

function refusal(error: Error, known: WorkflowDocument): Refusal {
  if (isHeldByGate(error)) return { why: 'gate' };
  const meanwhile = savedMeanwhile(error);
  if (!meanwhile) return { why: 'error', message: error.message };
  const { theirs, is_own } = meanwhile;
  if (!hasNewGraph(theirs, known)) return { why: 'settings', theirs };
  return { why: is_own ? 'own' : 'other', theirs };
}

interface PublicationOptions {
  workflow: Workflow;
  saving: Saving;
  onClose: () => void;
}

/** Publishes the draft, or goes back to what is published. */
export function usePublication({ workflow, saving, onClose }: PublicationOptions) {
  const t = useEditorTexts('publish');
  const gateTexts = useEditorTexts('gate');
  const client = useQueryClient();
  const { store } = useEditor();
  const { save, settle, replace, base } = saving;
  const { id } = workflow;
  const [refused, setRefused] = useState<Refusal>();
  const onRefused = (reason: Refusal) => {
    setRefused(reason);
    switch (reason.why) {
      case 'gate':
        return void renew(client, [answersTo(readPublishGate, { params: { id } })]);
      case 'own':
      case 'other':
        // The other changes are on the canvas and in the list of changes then, to be looked at first.
        return replace(reason.theirs);
      case 'settings':
        return settle(reason.theirs);
      case 'error':
        return;
      default:
        return reason satisfies never;
    }
  };
  const handlers = {
    onMutate: () => setRefused(undefined),
    onError: (error: Error) => onRefused(refusal(error, store.getState().saved)),
  };
  const publish = useMutation({
    ...handlers,
    mutationFn: async (words: { note: string; override_reason: string | undefined }) => {
      if (!(await save())) throw new Error(t('not_saved'));
      return api(publishWorkflow, { params: { id }, body: { ...words, base_updated_at: base() } });
    },
    onSuccess: (saved) => {
      settle(saved);
      toast.done(t('done', { number: saved.version_number }));
      onClose();
    },
  });
  const discard = useMutation({
    ...handlers,
    mutationFn: async () => {
      // A save that is under way, as one is when this is offered, would come after it. Whether it succeeds does not matter.
      await save();
      return api(discardDraft, { params: { id }, query: { base_updated_at: base() } });
    },
    onSuccess: (saved) => {
      replace(saved);
      toast.done(t('discarded', { number: saved.version_number }), {
        undo: { label: t('undo'), run: store.getState().undo },
      });
      onClose();
    },
  });
  const words = (reason: Refusal): string => {
    if (reason.why === 'error') return reason.message;
    return reason.why === 'gate' ? gateTexts('not_passed') : t(reason.why);
  };
  return {
    publish,
    discard,
    refused: refused && words(refused),
    forgetRefusal: () => setRefused(undefined),
  };
}
