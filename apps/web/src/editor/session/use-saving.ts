import { type SavedWorkflow, updateWorkflow, type Workflow } from '@millrace/contracts';
import type { WorkflowDocument } from '@millrace/engine';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { ApiError, api } from '../../data/api.ts';
import { keys } from '../../data/keys.ts';
import { toast } from '../../ui/overlays/toast.ts';
import { type Conflict, merge } from '../document/merge.ts';
import { same } from '../document/same.ts';
import { type EditorStore, isUnsaved } from '../store.ts';
import { dropDraft, keepDraft } from './draft.ts';

const DRAFT_DELAY_MS = 400;
/** How often others may save in between before it is left to the person. */
const MAX_MERGES = 3;

/** Somebody else saved in between, and both changed the same places. */
export interface SaveConflict {
  theirs: Workflow;
  merged: WorkflowDocument;
  conflicts: readonly Conflict[];
}

export type SaveState = 'saved' | 'unsaved' | 'saving' | 'failed';

export interface Saving {
  state: SaveState;
  problem: string | undefined;
  conflict: SaveConflict | undefined;
  save(): Promise<boolean>;
  /** Ends a conflict: saves this document over what is stored now, after it was looked at. */
  resolve(document: WorkflowDocument): Promise<boolean>;
  dismiss(): void;
}

interface SavingStart {
  workflow: Workflow;
  /** State of the server that the document on the canvas was made from. */
  base_updated_at: string;
}

export const documentOf = (workflow: Pick<Workflow, 'nodes' | 'edges'>): WorkflowDocument => ({
  nodes: workflow.nodes as WorkflowDocument['nodes'],
  edges: workflow.edges,
});

function currentState(error: unknown): Workflow | undefined {
  if (!(error instanceof ApiError) || error.status !== 409) return undefined;
  const detail = error.body?.detail;
  if (typeof detail !== 'object' || Array.isArray(detail)) return undefined;
  const current = 'current' in detail ? detail['current'] : detail;
  return typeof current === 'object' && current !== null && 'nodes' in current
    ? (current as Workflow)
    : undefined;
}

function usePersistedDraft(
  store: EditorStore,
  workflow_id: string,
  base: { readonly current: { updated_at: string } },
): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const keep = () => {
      clearTimeout(timer);
      timer = undefined;
      const state = store.getState();
      if (!isUnsaved(state)) return;
      const base_updated_at = base.current.updated_at;
      keepDraft(workflow_id, {
        document: state.document,
        base: state.saved,
        base_updated_at,
        saved_at: Date.now(),
      });
    };
    const stop = store.subscribe((state, before) => {
      if (state.document === before.document && state.saved === before.saved) return;
      if (isUnsaved(state)) {
        timer ??= setTimeout(keep, DRAFT_DELAY_MS);
      } else {
        clearTimeout(timer);
        timer = undefined;
        dropDraft(workflow_id);
      }
    });
    // The last moment before the page goes: nothing of what was typed in it is lost.
    const flush = () => timer !== undefined && keep();
    window.addEventListener('pagehide', flush);
    return () => {
      window.removeEventListener('pagehide', flush);
      flush();
      stop();
    };
  }, [store, workflow_id, base]);
}

/**
 * Saves with the server's state checked: when somebody else saved in between, changes to different places are merged
 * and saved, and changes to the same place are shown.
 */
export function useSaving(store: EditorStore, { workflow, base_updated_at }: SavingStart): Saving {
  const t = useTranslations('editor.conflict');
  const queries = useQueryClient();
  const base = useRef({ updated_at: base_updated_at });
  const [state, setState] = useState<SaveState>(() => (isUnsaved(store.getState()) ? 'unsaved' : 'saved'));
  const [problem, setProblem] = useState<string>();
  const [conflict, setConflict] = useState<SaveConflict>();
  usePersistedDraft(store, workflow.id, base);
  // Settings and names are saved apart from the graph; their new time stamp is no reason to merge.
  useEffect(() => {
    if (same(documentOf(workflow), store.getState().saved)) base.current.updated_at = workflow.updated_at;
  }, [workflow, store]);
  useEffect(
    () =>
      store.subscribe(
        (now, before) => now.document !== before.document && setState(isUnsaved(now) ? 'unsaved' : 'saved'),
      ),
    [store],
  );

  const accept = useCallback(
    (answer: SavedWorkflow, sent: WorkflowDocument) => {
      base.current.updated_at = answer.updated_at;
      store.getState().markSaved(sent);
      queries.setQueryData(keys.workflow(workflow.id), answer);
      void queries.invalidateQueries({ queryKey: keys.workflowList });
      setState(isUnsaved(store.getState()) ? 'unsaved' : 'saved');
    },
    [queries, store, workflow.id],
  );

  /** Takes over what somebody else saved as the state to build on. */
  const rebase = useCallback(
    (theirs: Workflow, document: WorkflowDocument) => {
      base.current.updated_at = theirs.updated_at;
      store.getState().markSaved(documentOf(theirs));
      store.getState().edit(() => document);
    },
    [store],
  );

  const send = useCallback(
    async function sendDocument(document: WorkflowDocument, merges: number): Promise<boolean> {
      setState('saving');
      setProblem(undefined);
      try {
        const body = {
          nodes: document.nodes,
          edges: document.edges,
          base_updated_at: base.current.updated_at,
        };
        accept(await api(updateWorkflow, { params: { id: workflow.id }, body }), document);
        return true;
      } catch (error) {
        const theirs = currentState(error);
        if (!theirs) {
          setProblem(error instanceof Error ? error.message : String(error));
          setState('failed');
          return false;
        }
        const merged = merge(store.getState().saved, document, documentOf(theirs));
        if (merged.conflicts.length === 0 && merges > 0) {
          rebase(theirs, merged.document);
          toast.note(t('merged'));
          return sendDocument(merged.document, merges - 1);
        }
        // Until a side is chosen the base stays, so that saving again cannot go over what they did.
        setConflict({ theirs, merged: merged.document, conflicts: merged.conflicts });
        setState('unsaved');
        return false;
      }
    },
    [accept, rebase, store, workflow.id, t],
  );

  const save = useCallback(() => send(store.getState().document, MAX_MERGES), [send, store]);
  const resolve = useCallback(
    async (document: WorkflowDocument) => {
      if (!conflict) return false;
      setConflict(undefined);
      rebase(conflict.theirs, document);
      return send(document, MAX_MERGES);
    },
    [send, rebase, conflict],
  );
  const dismiss = useCallback(() => setConflict(undefined), []);
  return { state, problem, conflict, save, resolve, dismiss };
}
