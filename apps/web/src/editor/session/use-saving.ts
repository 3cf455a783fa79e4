import { updateWorkflow, type Workflow } from '@millrace/contracts';
import type { WorkflowDocument } from '@millrace/engine';
import { useCallback, useEffect, useRef, useState } from 'react';
import { api } from '../../data/api.ts';
import { DRAFT } from '../../data/workflows.ts';
import { toast } from '../../ui/overlays/toast.ts';
import { type Conflict, merge } from '../document/merge.ts';
import { type EditorStore, isUnsaved } from '../state/store.ts';
import { useEditorTexts } from '../texts/use-editor-texts.ts';
import type { Autosave } from './autosave.ts';
import { hasNewGraph, type SavedMeanwhile, savedMeanwhile, toDocument } from './server-state.ts';
import { useAutosave } from './use-autosave.ts';
import { type BaseStart, useBase } from './use-base.ts';
import { useUnsavedCopy } from './use-unsaved-copy.ts';

/** How often others may save in between before it is left to the person. */
const MAX_MERGES = 3;

/** Others saved the workflow in the meantime, and the same places were changed there and here. */
export interface SaveConflict extends SavedMeanwhile {
  readonly merged: WorkflowDocument;
  readonly conflicts: readonly Conflict[];
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

const getSaveState = (store: EditorStore): SaveState => (isUnsaved(store.getState()) ? 'unsaved' : 'saved');

/** Follows the document: every change to it is unsaved at first, unless it leads back to what is saved. */
function useSaveState(store: EditorStore) {
  const [state, setState] = useState(() => getSaveState(store));
  useEffect(
    () => store.subscribe((now, before) => now.document !== before.document && setState(getSaveState(store))),
    [store],
  );
  return [state, setState] as const;
}

/** One after the other: a save that overtook another one would take its time stamp for that of another user. */
function useInTurn(act: () => boolean | Promise<boolean>): () => Promise<boolean> {
  const last = useRef<Promise<boolean>>(Promise.resolve(true));
  return useCallback(() => {
    last.current = last.current.then(act);
    return last.current;
  }, [act]);
}

/**
 * Saves drafts by itself, after checking the server's state: when another user saved in the meantime, changes to different
 * places are merged and saved, and changes to the same place are shown.
 */
export function useSaving(store: EditorStore, start: BaseStart): Saving {
  const t = useEditorTexts('conflict');
  const { id } = start.workflow;
  const base = useBase(store, start);
  const [state, setState] = useSaveState(store);
  const [problem, setProblem] = useState<string>();
  const [conflict, setConflict] = useState<SaveConflict>();
  const autosave = useRef<Autosave>(undefined);
  useUnsavedCopy(store, id, base);

  const send = useCallback(
    async function sendDocument(document: WorkflowDocument, merges: number): Promise<boolean> {
      setState('saving');
      setProblem(undefined);
      try {
        const body = { nodes: document.nodes, edges: document.edges, base_updated_at: base.updatedAt() };
        const answer = await api(updateWorkflow, { params: { id }, query: DRAFT, body });
        store.getState().markSaved(document);
        base.settle(answer);
        autosave.current?.release();
        setState(getSaveState(store));
        return true;
      } catch (error) {
        const meanwhile = savedMeanwhile(error);
        if (!meanwhile) {
          setProblem(error instanceof Error ? error.message : String(error));
          setState('failed');
          return false;
        }
        const { theirs, is_own } = meanwhile;
        // The canvas may be ahead of what was sent: people type on.
        const mine = store.getState();
        const { document: merged, conflicts } = merge(mine.saved, mine.document, toDocument(theirs));
        if (conflicts.length === 0 && merges > 0) {
          base.rebase(theirs, merged);
          if (hasNewGraph(theirs, mine.saved)) toast.note(t(is_own ? 'own.merged' : 'other.merged'));
          return sendDocument(merged, merges - 1);
        }
        // Until a side is chosen the base stays, so that saving again cannot go over what they did.
        autosave.current?.hold();
        setConflict({ theirs, is_own, merged, conflicts });
        setState('unsaved');
        return false;
      }
    },
    [base, store, id, t, setState],
  );

  const save = useInTurn(
    useCallback(() => {
      const { document, saved } = store.getState();
      return document === saved ? true : send(document, MAX_MERGES);
    }, [send, store]),
  );
  useAutosave(autosave, store, save);
  const resolve = useCallback(
    async (document: WorkflowDocument) => {
      if (!conflict) return false;
      setConflict(undefined);
      base.rebase(conflict.theirs, document);
      return send(document, MAX_MERGES);
    },
    [send, base, conflict],
  );
  const replace = useCallback(
    (answer: Workflow) => {
      base.replace(answer);
      setState('saved');
    },
    [base, setState],
  );
  const dismiss = useCallback(() => setConflict(undefined), []);
  const { updatedAt, settle } = base;
  return { state, problem, conflict, save, resolve, dismiss, base: updatedAt, settle, replace };
}
