import type { EditorView } from '@codemirror/view';
import { create, type StoreApi, type UseBoundStore } from 'zustand';

interface InsertionState {
  /** The expression field that had the focus last, while it is on screen. */
  readonly field: { readonly view: EditorView; readonly label: string } | undefined;
  claim(view: EditorView, label: string): void;
  release(view: EditorView): void;
  /** Puts text in place of the selection of that field; false when there is no field. */
  insert(text: string): boolean;
}

export type InsertionStore = UseBoundStore<StoreApi<InsertionState>>;

/** Remembers where a picked value goes: picking takes the focus away from the field. */
export function createInsertionStore(): InsertionStore {
  return create<InsertionState>()((set, get) => ({
    field: undefined,
    claim: (view, label) => set({ field: { view, label } }),
    release: (view) => {
      if (get().field?.view === view) set({ field: undefined });
    },
    insert(text) {
      const view = get().field?.view;
      if (!view) return false;
      view.dispatch(view.state.replaceSelection(text), { userEvent: 'input.paste', scrollIntoView: true });
      view.focus();
      return true;
    },
  }));
}
