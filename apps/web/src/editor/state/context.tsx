import type { Catalog, Problem } from '@millrace/engine';
import { createContext, type ReactNode, use } from 'react';
import { useStore } from 'zustand';
import type { RunState, RunStore } from '../../features/run-view/run-store.ts';
import type { InsertionStore } from '../fields/expression/insertion.ts';
import type { EditorState, EditorStore } from './store.ts';
import type { ViewState, ViewStore } from './view.ts';

/** The context that every part of one open editor shares. */
export interface Editor {
  readonly workflow_id: string;
  readonly workflow_name: string;
  readonly store: EditorStore;
  readonly run: RunStore;
  readonly view: ViewStore;
  /** The expression field that picked values go into. */
  readonly insertion: InsertionStore;
  readonly catalog: Catalog;
}

/** Shortcomings of the document as it is now, by node. */
export type ProblemMap = ReadonlyMap<string, readonly Problem[]>;

const EditorContext = createContext<Editor | undefined>(undefined);

export function EditorProvider({ editor, children }: { editor: Editor; children: ReactNode }) {
  return <EditorContext value={editor}>{children}</EditorContext>;
}

export function useEditor(): Editor {
  const editor = use(EditorContext);
  if (!editor) throw new Error('useEditor is called outside an editor');
  return editor;
}

export const NO_PROBLEMS: ProblemMap = new Map();

/** Apart from the editor: it changes with every key, and most parts of the editor do not show it. */
export const ProblemContext = createContext(NO_PROBLEMS);

export const useProblems = (): ProblemMap => use(ProblemContext);

/** Reads a part of the document state; the component draws again only when that part changes. */
export function useDocument<T>(select: (state: EditorState) => T): T {
  return useStore(useEditor().store, select);
}

/** Reads a part of the run that the canvas shows. */
export function useRun<T>(select: (state: RunState) => T): T {
  return useStore(useEditor().run, select);
}

/** Reads which parts of the editor are in front. */
export function useView<T>(select: (state: ViewState) => T): T {
  return useStore(useEditor().view, select);
}
