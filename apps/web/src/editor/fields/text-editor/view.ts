import { defaultKeymap } from '@codemirror/commands';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { clsx } from 'clsx';
import { CONTROL } from '../../../ui/forms/input.tsx';

/** Classes of the box around an editor, which looks like any other field. */
export const editorBox = (size: string, invalid: boolean | undefined): string =>
  clsx(
    CONTROL,
    'focus-within:border-focus focus-within:shadow-[0_0_0_2px_color-mix(in_oklch,var(--focus)_35%,transparent)]',
    size,
    invalid && 'border-danger',
  );

/** Without the one that starts a run. */
export const OWN_KEYS = defaultKeymap.filter(({ key }) => key !== 'Mod-Enter');

interface Reports {
  readonly onChange: (text: string) => void;
  readonly onBlur: () => void;
}

/** Tells the form what is typed, and when the field is left. */
export const reportTo = ({ onChange, onBlur }: Reports): Extension => [
  EditorView.updateListener.of((update) => {
    if (update.docChanged) onChange(update.state.doc.toString());
  }),
  EditorView.domEventHandlers({
    blur: () => {
      onBlur();
      return false;
    },
  }),
];

/** Puts another text into an editor, which keeps its focus and its history. */
export function replaceText(view: EditorView | null, text: string): void {
  if (!view || view.state.doc.toString() === text) return;
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}
