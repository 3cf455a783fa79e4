import type { Workflow } from '@millrace/contracts';
import type { WorkflowDocument } from '@millrace/engine';
import { type DocumentStore, isUnsaved } from '../../features/document/store.ts';
import { rebaseSteps } from './rebase-steps.ts';
import { hasNewGraph, toDocument } from './server-state.ts';

/** The state of the server that the canvas builds on. */
interface Base {
  updatedAt(): string;
  /** Takes over an answer of the server whose graph is the one on the canvas. */
  settle(answer: Workflow): void;
  /** Puts the graph of an answer on the canvas, as a step that can be undone. */
  replace(answer: Workflow): void;
  /**
   * Settings and names are saved apart from the graph; their new time stamp is no reason to merge. A newer graph
   * replaces that on the canvas if there are no unsaved changes, and cannot be undone; true when it did.
   */
  follow(workflow: Workflow): boolean;
  /** Shows what merges with a state that was saved in the meantime; undoing an own change then leaves that of the others. */
  merge(theirs: Workflow, document: WorkflowDocument): void;
  /** Takes over what was saved in the meantime as the state to build on, and shows the document chosen, as a step. */
  rebase(theirs: Workflow, document: WorkflowDocument): void;
}

export function createBase(
  store: DocumentStore,
  base_updated_at: string,
  onAnswer: (answer: Workflow) => void,
): Base {
  let updated_at = base_updated_at;
  function settle(answer: Workflow): void {
    updated_at = answer.updated_at;
    onAnswer(answer);
  }
  function replace(answer: Workflow): void {
    const document = toDocument(answer);
    store.getState().edit(() => document);
    store.getState().markSaved(document);
    settle(answer);
  }
  return {
    updatedAt: () => updated_at,
    settle,
    replace,
    follow(workflow) {
      const state = store.getState();
      // An answer can arrive behind that to a later save.
      const isNewer = Date.parse(workflow.updated_at) > Date.parse(updated_at);
      if (!isNewer) return false;
      if (!hasNewGraph(workflow, state.saved)) {
        updated_at = workflow.updated_at;
        return false;
      }
      if (isUnsaved(state)) return false;
      const theirs = toDocument(workflow);
      state.follow(theirs, rebaseSteps(state, { before: state.saved, after: theirs }));
      settle(workflow);
      return true;
    },
    merge(theirs, document) {
      const state = store.getState();
      const saved = toDocument(theirs);
      updated_at = theirs.updated_at;
      state.follow(document, rebaseSteps(state, { before: state.saved, after: saved }), saved);
    },
    rebase(theirs, document) {
      updated_at = theirs.updated_at;
      store.getState().markSaved(toDocument(theirs));
      store.getState().edit(() => document);
    },
  };
}
