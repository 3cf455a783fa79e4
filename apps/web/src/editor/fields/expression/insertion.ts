import type { EditorView } from '@codemirror/view';
import { create, type StoreApi, type UseBoundStore } from 'zustand';
import type { JsonPath } from '../../../lib/json/json-path.ts';
import { referenceIn } from './reference.ts';

interface InsertionState {
  /** The expression field that had the focus last, while it is on screen. */
  readonly field: { readonly view: EditorView; readonly label: string } | undefined;
  claim(view: EditorView, label: string): void;
  release(view: EditorView): void;
  /** Puts a reference in place of the selection of that field; false when there is no field. */
  insert(path: JsonPath): boolean;
}

/** Writes a reference into a field in place of a range, in the form that fits there, and puts the cursor behind it. */
export function insertReference(view: EditorView, path: JsonPath, range: { from: number; to: number }): void {
  const changes = referenceIn(view.state.doc.toString(), range, path);
  view.dispatch({
    changes,
    selection: { anchor: changes.from + changes.insert.length },
    userEvent: 'input.paste',
    scrollIntoView: true,
  });
  view.focus();
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
    insert(path) {
      const view = get().field?.view;
      if (!view) return false;
      insertReference(view, path, view.state.selection.main);
      return true;
    },
  }));
}
