import { type CurlForm, type FormReading, printForm, readForm } from '@millrace/nodes/curl-form';
import { useReducer, useRef } from 'react';

interface Shown {
  /** The stored text that the reading belongs to. */
  readonly text: string;
  /** The text as it was found, whose bytes a form without changes gives back. */
  readonly origin: string;
  readonly reading: FormReading;
}

/**
 * The form of a stored curl text. Rows that nothing is written for yet live here only, so a text that this form wrote is not
 * read again; any other text is.
 */
export function useCurlForm(value: string, onChange: (text: string) => void) {
  // A ref, because the text and its form have to change together: with state there would be a render between the two.
  const memory = useRef<Shown>(null);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  if (memory.current?.text !== value) {
    memory.current = { text: value, origin: value, reading: readForm(value) };
  }
  const { origin, reading } = memory.current;
  return {
    reading,
    change(form: CurlForm): void {
      const text = printForm(form, origin);
      memory.current = { text, origin, reading: { form } };
      redraw();
      if (text !== value) onChange(text);
    },
  };
}
