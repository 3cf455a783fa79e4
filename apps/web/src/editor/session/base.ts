import type { Workflow } from '@millrace/contracts';
import type { WorkflowDocument } from '@millrace/engine';
import type { DocumentStore } from '../../features/document/store.ts';
import { hasNewGraph, toDocument } from './server-state.ts';

/** The state of the server that the canvas builds on. */
interface Base {
  updatedAt(): string;
  /** Takes over an answer of the server whose graph is the one on the canvas. */
  settle(answer: Workflow): void;
  /** Puts the graph of an answer on the canvas, as a step that can be undone. */
  replace(answer: Workflow): void;
  /** Settings and names are saved apart from the graph; their new time stamp is no reason to merge. */
  follow(workflow: Workflow): void;
  /** Takes over what was saved in the meantime as the state to build on, and shows the document made from both. */
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
  return {
    updatedAt: () => updated_at,
    settle,
    replace(answer) {
      const document = toDocument(answer);
      store.getState().edit(() => document);
      store.getState().markSaved(document);
      settle(answer);
    },
    follow(workflow) {
      if (!hasNewGraph(workflow, store.getState().saved)) updated_at = workflow.updated_at;
    },
    rebase(theirs, document) {
      updated_at = theirs.updated_at;
      store.getState().markSaved(toDocument(theirs));
      store.getState().edit(() => document);
    },
  };
}
