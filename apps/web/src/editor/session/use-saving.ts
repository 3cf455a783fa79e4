import { type SavedWorkflow, updateWorkflow, type Workflow } from '@millrace/contracts';
import type { WorkflowDocument } from '@millrace/engine';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError, api } from '../../data/api.ts';
import { keys } from '../../data/keys.ts';
import { DRAFT } from '../../data/workflows.ts';
import { toast } from '../../ui/overlays/toast.ts';
import { type Conflict, merge } from '../document/merge.ts';
import { placeMissing } from '../document/place-missing.ts';
import { same } from '../document/same.ts';
import { type EditorStore, isUnsaved } from '../state/store.ts';
import { useEditorTexts } from '../texts/use-editor-texts.ts';
import { type Autosave, createAutosave } from './autosave.ts';
import { dropUnsavedCopy, keepUnsavedCopy } from './unsaved-copy.ts';

const COPY_DELAY_MS = 400;
/** How often others may save in between before it is left to the person. */
const MAX_MERGES = 3;

/** What is stored was saved in the meantime, and the same places were changed there and here. */
export interface SaveConflict {
  /** The same person saved it, in another tab or on another device. */
  is_own: boolean;
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
  /** `updated_at` of the state of the server that the canvas builds on. */
  base(): string;
  /** Takes over an answer of the server whose graph is the one on the canvas. */
  settle(answer: Workflow): void;
  /** Puts the graph of an answer on the canvas, as a step that can be undone. */
  replace(answer: Workflow): void;
}

interface SavingStart {
  workflow: Workflow;
  /** State of the server that the document on the canvas was made from. */
  base_updated_at: string;
}

export const documentOf = (workflow: Pick<Workflow, 'nodes' | 'edges'>): WorkflowDocument =>
  placeMissing({
    nodes: workflow.nodes as WorkflowDocument['nodes'],
    edges: workflow.edges,
  });

function conflictOf(error: unknown): object | undefined {
  if (!(error instanceof ApiError) || error.status !== 409) return undefined;
  const detail = error.body?.detail;
  return typeof detail === 'object' && !Array.isArray(detail) ? detail : undefined;
}

/** Whether the person saved the stored state, where that is why the server refused. */
export function isOwnState(error: unknown): boolean {
  const detail = conflictOf(error);
  return detail !== undefined && 'graph_saved_by_you' in detail && detail.graph_saved_by_you === true;
}

/** What was saved elsewhere in the meantime, where that is why the server refused. */
export function theirState(error: unknown): Workflow | undefined {
  const detail = conflictOf(error);
  if (!detail) return undefined;
  const current = 'current' in detail ? detail['current'] : detail;
  return typeof current === 'object' && current !== null && 'nodes' in current
    ? (current as Workflow)
    : undefined;
}

function useUnsavedCopy(
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
      keepUnsavedCopy(workflow_id, {
        document: state.document,
        base: state.saved,
        base_updated_at,
        saved_at: Date.now(),
      });
    };
    const stop = store.subscribe((state, before) => {
      if (state.document === before.document && state.saved === before.saved) return;
      if (isUnsaved(state)) {
        timer ??= setTimeout(keep, COPY_DELAY_MS);
      } else {
        clearTimeout(timer);
        timer = undefined;
        dropUnsavedCopy(workflow_id);
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

/** Calls it when the network is back and when the page is hidden, which may be the last moment before it goes. */
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

/**
 * Saves drafts by itself, after checking the server's state: when another user saved in the meantime, changes to different
 * places are merged and saved, and changes to the same place are shown.
 */
export function useSaving(store: EditorStore, { workflow, base_updated_at }: SavingStart): Saving {
  const t = useEditorTexts('conflict');
  const queries = useQueryClient();
  const base = useRef({ updated_at: base_updated_at });
  const [state, setState] = useState<SaveState>(() => (isUnsaved(store.getState()) ? 'unsaved' : 'saved'));
  const [problem, setProblem] = useState<string>();
  const [conflict, setConflict] = useState<SaveConflict>();
  useUnsavedCopy(store, workflow.id, base);
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

  const autosave = useRef<Autosave>(undefined);
  const settle = useCallback(
    (answer: Workflow) => {
      base.current.updated_at = answer.updated_at;
      queries.setQueryData(keys.workflow(workflow.id), answer);
      void queries.invalidateQueries({ queryKey: keys.costEstimate(workflow.id) });
      void queries.invalidateQueries({ queryKey: keys.workflowList });
    },
    [queries, workflow.id],
  );
  const accept = useCallback(
    (answer: SavedWorkflow, sent: WorkflowDocument) => {
      store.getState().markSaved(sent);
      settle(answer);
      autosave.current?.release();
      setState(isUnsaved(store.getState()) ? 'unsaved' : 'saved');
    },
    [store, settle],
  );
  const replace = useCallback(
    (answer: Workflow) => {
      const document = documentOf(answer);
      store.getState().edit(() => document);
      store.getState().markSaved(document);
      settle(answer);
      setState('saved');
    },
    [store, settle],
  );

  /** Takes over what another user saved as the state to build on. */
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
        accept(await api(updateWorkflow, { params: { id: workflow.id }, query: DRAFT, body }), document);
        return true;
      } catch (error) {
        const theirs = theirState(error);
        if (!theirs) {
          setProblem(error instanceof Error ? error.message : String(error));
          setState('failed');
          return false;
        }
        // The canvas may be ahead of what was sent: people type on.
        const mine = store.getState();
        const merged = merge(mine.saved, mine.document, documentOf(theirs));
        if (merged.conflicts.length === 0 && merges > 0) {
          // A setting or the name may be all that was saved.
          const is_news = !same(documentOf(theirs), mine.saved);
          rebase(theirs, merged.document);
          if (is_news) toast.note(t(isOwnState(error) ? 'own.merged' : 'merged'));
          return sendDocument(merged.document, merges - 1);
        }
        // Until a side is chosen the base stays, so that saving again cannot go over what they did.
        autosave.current?.hold();
        setConflict({
          is_own: isOwnState(error),
          theirs,
          merged: merged.document,
          conflicts: merged.conflicts,
        });
        setState('unsaved');
        return false;
      }
    },
    [accept, rebase, store, workflow.id, t],
  );

  // One after the other: a save that overtook another one would take its time stamp for that of another user.
  const last = useRef<Promise<boolean>>(Promise.resolve(true));
  const save = useCallback(() => {
    last.current = last.current.then(() => {
      const { document, saved } = store.getState();
      return document === saved ? true : send(document, MAX_MERGES);
    });
    return last.current;
  }, [send, store]);
  useEffect(() => {
    const current = createAutosave({ save });
    autosave.current = current;
    const stop = store.subscribe(
      (now, before) => now.document !== before.document && isUnsaved(now) && current.changed(),
    );
    return () => {
      stop();
      current.close();
    };
  }, [save, store]);
  useMoments(useCallback(() => isUnsaved(store.getState()) && autosave.current?.now(), [store]));
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
  const baseNow = useCallback(() => base.current.updated_at, []);
  return { state, problem, conflict, save, resolve, dismiss, base: baseNow, settle, replace };
}
