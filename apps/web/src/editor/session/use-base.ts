import type { Workflow } from '@millrace/contracts';
import type { WorkflowDocument } from '@millrace/engine';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { keepDraft } from '../../data/workflows.ts';
import type { EditorStore } from '../state/store.ts';
import { hasNewGraph, toDocument } from './server-state.ts';

export interface BaseStart {
  workflow: Workflow;
  /** State of the server that the document on the canvas was made from. */
  base_updated_at: string;
}

/** The state of the server that the canvas builds on. */
export interface Base {
  updatedAt(): string;
  /** Takes over an answer of the server whose graph is the one on the canvas. */
  settle(answer: Workflow): void;
  /** Puts the graph of an answer on the canvas, as a step that can be undone. */
  replace(answer: Workflow): void;
  /** Takes over what was saved in the meantime as the state to build on, and shows the document made from both. */
  rebase(theirs: Workflow, document: WorkflowDocument): void;
}

export function useBase(store: EditorStore, { workflow, base_updated_at }: BaseStart): Base {
  const queries = useQueryClient();
  const updated_at = useRef(base_updated_at);
  // Settings and names are saved apart from the graph; their new time stamp is no reason to merge.
  useEffect(() => {
    if (!hasNewGraph(workflow, store.getState().saved)) updated_at.current = workflow.updated_at;
  }, [workflow, store]);
  return useMemo(() => {
    const settle = (answer: Workflow) => {
      updated_at.current = answer.updated_at;
      void keepDraft(queries, answer);
    };
    return {
      updatedAt: () => updated_at.current,
      settle,
      replace(answer) {
        const document = toDocument(answer);
        store.getState().edit(() => document);
        store.getState().markSaved(document);
        settle(answer);
      },
      rebase(theirs, document) {
        updated_at.current = theirs.updated_at;
        store.getState().markSaved(toDocument(theirs));
        store.getState().edit(() => document);
      },
    };
  }, [store, queries]);
}
