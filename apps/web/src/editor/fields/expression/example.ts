import { EditorSelection, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { Json } from '@millrace/engine';

/**
 * Whether a text is still the one that a new node starts with. A field of a form holds only the last word of a longer
 * text, as the address of a request.
 */
export function isInitial(initial: Json | undefined, text: string): boolean {
  if (text === '') return false;
  if (typeof initial === 'string') return initial === text || initial.endsWith(` ${text}`);
  if (typeof initial !== 'object' || initial === null) return false;
  return Object.values(initial).some((part) => isInitial(part, text));
}

/** An example is selected as a whole when the field gets the focus, so that typing or a chosen value replaces it. */
export const selectExample = (isExample: (text: string) => boolean): Extension => {
  const select = (view: EditorView): void => {
    if (isExample(view.state.doc.toString()))
      view.dispatch({ selection: EditorSelection.single(0, view.state.doc.length) });
  };
  return [
    EditorView.updateListener.of(({ focusChanged, view }) => {
      if (focusChanged && view.hasFocus) select(view);
    }),
    EditorView.domEventHandlers({
      mousedown: (event, view) => {
        const isFirst = !view.hasFocus && event.button === 0;
        if (!isFirst || !isExample(view.state.doc.toString())) return false;
        // Else the place of the press would become the selection.
        event.preventDefault();
        view.focus();
        select(view);
        return true;
      },
    }),
  ];
};
