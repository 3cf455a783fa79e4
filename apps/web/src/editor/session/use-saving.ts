import { updateWorkflow, type Workflow } from '@millrace/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { api } from '../../data/api.ts';
import { isNotFound } from '../../data/refusal.ts';
import { DRAFT, keepDraft, workflowQuery } from '../../data/workflows.ts';
import type { DocumentStore } from '../../features/document/store.ts';
import { toast } from '../../ui/overlays/toast.ts';
import { useEditorTexts } from '../texts/use-editor-texts.ts';
import { createSaving, type Saving } from './saving.ts';
import { useUnsavedCopy } from './use-unsaved-copy.ts';

interface SavingStart {
  workflow: Workflow;
  /** State of the server that the document on the canvas was made from. */
  base_updated_at: string;
  user_id: string;
}

/** Acts when the network is back and when the page is hidden, possibly the last chance before it closes. */
function useMoments(act: () => void): void {
  useEffect(() => {
    const onHide = () => document.visibilityState === 'hidden' && act();
    window.addEventListener('online', act);
    document.addEventListener('visibilitychange', onHide);
    return () => {
      window.removeEventListener('online', act);
      document.removeEventListener('visibilitychange', onHide);
    };
  }, [act]);
}

/** The saving of an open editor, with what it needs of the page. */
export function useSaving(store: DocumentStore, { workflow, base_updated_at, user_id }: SavingStart): Saving {
  const t = useEditorTexts('conflict');
  const queries = useQueryClient();
  const { id } = workflow;
  const [savingStore] = useState(() =>
    createSaving({
      store,
      base_updated_at,
      send: ({ nodes, edges }, base) =>
        api(updateWorkflow, {
          params: { id },
          query: DRAFT,
          body: { nodes, edges, base_updated_at: base },
        }).catch((error: unknown) => {
          // The page then says that it was deleted or is no longer shared.
          if (isNotFound(error)) void queries.invalidateQueries({ queryKey: workflowQuery(id).queryKey });
          throw error;
        }),
      onAnswer: (answer) => void keepDraft(queries, answer),
    }),
  );
  const saving = useStore(savingStore);
  const { open, follow, base, saveNow } = saving;
  useEffect(() => open((is_own) => toast.note(t(is_own ? 'own.merged' : 'other.merged'))), [open, t]);
  const isSettled = saving.state === 'saved';
  useEffect(() => {
    // Again when nothing is unsaved any more: what came before then was not followed.
    if (follow(workflow)) toast.note(t('followed'));
  }, [follow, workflow, isSettled, t]);
  useUnsavedCopy(store, { user_id, workflow_id: id }, base);
  useMoments(saveNow);
  return saving;
}
