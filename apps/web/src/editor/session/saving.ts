import type { Workflow } from '@millrace/contracts';
import type { WorkflowDocument } from '@millrace/engine';
import { createStore, type StoreApi } from 'zustand';
import { type DocumentStore, isUnsaved } from '../../features/document/store.ts';
import { type Conflict, merge } from '../document/merge.ts';
import { type Autosave, createAutosave } from './autosave.ts';
import { createBase } from './base.ts';
import { hasNewGraph, type SavedMeanwhile, savedMeanwhile, toDocument } from './server-state.ts';

/** How many saves by others are merged before the person has to decide. */
const MAX_MERGES = 3;

/** Others saved the workflow in the meantime, and the same places were changed there and here. */
export interface SaveConflict extends SavedMeanwhile {
  readonly merged: WorkflowDocument;
  readonly conflicts: readonly Conflict[];
}

type SaveProgress = 'saved' | 'unsaved' | 'saving' | 'failed';

export interface Saving {
  readonly state: SaveProgress;
  readonly problem: string | undefined;
  readonly conflict: SaveConflict | undefined;
  save(): Promise<boolean>;
  /** Saves at once, unless the person has to resolve a conflict. */
  saveNow(): void;
  /** Ends a conflict: saves this document over what is stored now, after it was looked at. */
  resolve(document: WorkflowDocument): Promise<boolean>;
  dismiss(): void;
  /** `updated_at` of the state of the server that the canvas builds on. */
  base(): string;
  /** Takes over an answer of the server whose graph is the one on the canvas. */
  settle(answer: Workflow): void;
  /** Puts the graph of an answer on the canvas, as a step that can be undone. */
  replace(answer: Workflow): void;
  /** Takes over a state of the server, its graph only while nothing on the canvas is unsaved; true when it did. */
  follow(workflow: Workflow): boolean;
  /** Saves automatically after changes until the returned function is called. */
  open(onMerged: (is_own: boolean) => void): () => void;
}

interface SavingOptions {
  readonly store: DocumentStore;
  /** State of the server that the document on the canvas was made from. */
  readonly base_updated_at: string;
  readonly send: (document: WorkflowDocument, base_updated_at: string) => Promise<Workflow>;
  /** Called with each answer whose graph is the one on the canvas. */
  readonly onAnswer: (answer: Workflow) => void;
}

/** Knows of saves on their way, as `state` does not: a change made meanwhile makes it that of the canvas again. */
function watchSends(send: SavingOptions['send']) {
  let sending = 0;
  return {
    isSending: () => sending > 0,
    send(...what: Parameters<typeof send>): Promise<Workflow> {
      sending += 1;
      return send(...what).finally(() => {
        sending -= 1;
      });
    },
  };
}

/**
 * Saves drafts by itself, after checking the server's state: when another user saved in the meantime, changes to different
 * places are merged and saved, and changes to the same place are shown.
 */
export function createSaving({ store, base_updated_at, send, onAnswer }: SavingOptions): StoreApi<Saving> {
  const base = createBase(store, base_updated_at, onAnswer);
  const sends = watchSends(send);
  let autosave: Autosave | undefined;
  let tellMerged: ((is_own: boolean) => void) | undefined;
  let last: Promise<boolean> = Promise.resolve(true);

  const progress = (): SaveProgress => (isUnsaved(store.getState()) ? 'unsaved' : 'saved');

  async function write(document: WorkflowDocument, merges: number): Promise<boolean> {
    saving.setState({ state: 'saving', problem: undefined });
    try {
      const answer = await sends.send(document, base.updatedAt());
      store.getState().markSaved(document);
      base.settle(answer);
      autosave?.release();
      saving.setState({ state: progress() });
      return true;
    } catch (error) {
      const meanwhile = savedMeanwhile(error);
      if (meanwhile) return mergeAndWrite(meanwhile, merges);
      saving.setState({ state: 'failed', problem: error instanceof Error ? error.message : String(error) });
      return false;
    }
  }

  async function mergeAndWrite({ theirs, is_own }: SavedMeanwhile, merges: number): Promise<boolean> {
    // The canvas may be ahead of what was sent: people type on.
    const mine = store.getState();
    const { document: merged, conflicts } = merge(mine.saved, mine.document, toDocument(theirs));
    if (conflicts.length === 0 && merges > 0) {
      base.merge(theirs, merged);
      if (hasNewGraph(theirs, mine.saved)) tellMerged?.(is_own);
      return write(merged, merges - 1);
    }
    // Until a side is chosen the base stays, so that another save cannot overwrite their changes.
    autosave?.hold();
    saving.setState({ state: 'unsaved', conflict: { theirs, is_own, merged, conflicts } });
    return false;
  }

  /** One after the other: a save that overtook another one would take its time stamp for that of another user. */
  function save(): Promise<boolean> {
    last = last.then(() => {
      const { document, saved } = store.getState();
      return document === saved ? true : write(document, MAX_MERGES);
    });
    return last;
  }

  const saving = createStore<Saving>((set, get) => ({
    state: progress(),
    problem: undefined,
    conflict: undefined,
    save,
    settle: base.settle,
    follow(workflow) {
      // The answer to the save says which state it made.
      if (sends.isSending() || !base.follow(workflow)) return false;
      // A conflict that was left open ends with the changes that it was about.
      autosave?.release();
      set({ state: 'saved', problem: undefined, conflict: undefined });
      return true;
    },
    base: base.updatedAt,
    saveNow: () => isUnsaved(store.getState()) && autosave?.now(),
    async resolve(document) {
      const { conflict } = get();
      if (!conflict) return false;
      set({ conflict: undefined });
      base.rebase(conflict.theirs, document);
      return write(document, MAX_MERGES);
    },
    dismiss: () => set({ conflict: undefined }),
    replace(answer) {
      base.replace(answer);
      set({ state: 'saved' });
    },
    open(onMerged) {
      const current = createAutosave({ save });
      autosave = current;
      tellMerged = onMerged;
      const stop = store.subscribe((now, before) => {
        if (now.document === before.document) return;
        const state = progress();
        // Every `set` renders the editor, also one that changes nothing.
        if (get().state !== state) set({ state });
        if (isUnsaved(now)) current.changed();
      });
      return () => {
        stop();
        current.close();
      };
    },
  }));
  return saving;
}
