/** @jsxImportSource preact */
import { useLayoutEffect, useRef } from 'preact/hooks';

interface TextAreaProps {
  id: string;
  value: string;
  onChange: (value: string) => void;
  /** Enter was pressed on a device with a keyboard. */
  onEnter?: (() => void) | undefined;
  placeholder?: string;
  label?: string;
  describedBy?: string | undefined;
  invalid?: boolean;
  takesFocus?: boolean;
}

/** Phones have no second key for a line break, so Enter is one there. */
export const hasKeyboard = () => matchMedia('(pointer: fine)').matches;

/** A field that grows with its text. */
export function TextArea(props: TextAreaProps) {
  const { id, value, onChange, onEnter, takesFocus } = props;
  const fieldRef = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    if (!fieldRef.current) return;
    fieldRef.current.style.height = 'auto';
    fieldRef.current.style.height = `${fieldRef.current.scrollHeight}px`;
  }, [value]);
  useLayoutEffect(() => {
    if (takesFocus) fieldRef.current?.focus();
  }, [takesFocus]);
  return (
    <textarea
      ref={fieldRef}
      id={id}
      rows={1}
      dir="auto"
      value={value}
      placeholder={props.placeholder}
      aria-label={props.label}
      aria-describedby={props.describedBy}
      aria-invalid={props.invalid ? 'true' : undefined}
      onInput={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.shiftKey || event.isComposing || !onEnter || !hasKeyboard())
          return;
        event.preventDefault();
        onEnter();
      }}
    />
  );
}
