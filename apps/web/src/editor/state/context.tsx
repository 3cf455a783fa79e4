import { createContext, type ReactNode, use } from 'react';
import { useStore } from 'zustand';
import { type OpenDocument, OpenDocumentContext } from '../../features/document/context.ts';
import type { InsertionStore } from '../fields/expression/insertion.ts';
import type { ViewState, ViewStore } from './view.ts';

/** The context that every part of one open editor shares. */
export interface Editor extends OpenDocument {
  readonly view: ViewStore;
  /** The expression field that picked values go into. */
  readonly insertion: InsertionStore;
}

const EditorContext = createContext<Editor | undefined>(undefined);

export function EditorProvider({ editor, children }: { editor: Editor; children: ReactNode }) {
  return (
    <EditorContext value={editor}>
      <OpenDocumentContext value={editor}>{children}</OpenDocumentContext>
    </EditorContext>
  );
}

export function useEditor(): Editor {
  const editor = use(EditorContext);
  if (!editor) throw new Error('useEditor is called outside an editor');
  return editor;
}

/** Reads which parts of the editor are in front. */
export function useView<T>(select: (state: ViewState) => T): T {
  return useStore(useEditor().view, select);
}
