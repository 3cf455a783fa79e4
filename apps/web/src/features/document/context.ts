import type { Catalog, Problem } from '@millrace/engine';
import { createContext, use } from 'react';
import { useStore } from 'zustand';
import type { RunState, RunStore } from '../run-view/run-store.ts';
import type { DocumentState, DocumentStore } from './store.ts';

/** The document that is open in the editor or shown by a page, and the run that is painted on it. */
export interface OpenDocument {
  readonly workflow_id: string;
  readonly workflow_name: string;
  readonly store: DocumentStore;
  readonly run: RunStore;
  readonly catalog: Catalog;
}

/** Shortcomings of the document as it is now, by node. */
export type ProblemMap = ReadonlyMap<string, readonly Problem[]>;

export const OpenDocumentContext = createContext<OpenDocument | undefined>(undefined);

export function useOpenDocument(): OpenDocument {
  const open = use(OpenDocumentContext);
  if (!open) throw new Error('useOpenDocument is called where no document is open');
  return open;
}

export const NO_PROBLEMS: ProblemMap = new Map();

/** Apart from the document: it changes with every key, and most parts of the editor do not show it. */
export const ProblemContext = createContext(NO_PROBLEMS);

export const useProblems = (): ProblemMap => use(ProblemContext);

/** Reads a part of the document state; the component draws again only when that part changes. */
export function useDocument<T>(select: (state: DocumentState) => T): T {
  return useStore(useOpenDocument().store, select);
}

/** Reads a part of the run that the canvas shows. */
export function useRun<T>(select: (state: RunState) => T): T {
  return useStore(useOpenDocument().run, select);
}
