import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { ExpressionMode } from '@millrace/engine';
import { clsx } from 'clsx';
import { useEffect, useRef } from 'react';
import { useTranslations } from 'use-intl';
import { CONTROL } from '../../../ui/forms/input.tsx';
import { useEditor } from '../../context.tsx';
import { useAmbient } from './ambient.ts';
import { expressionExtensions } from './expression-extensions.ts';
import { useAskKnown } from './use-known.ts';

interface ExpressionInputProps {
  node_id: string;
  label: string;
  value: string;
  mode: ExpressionMode;
  multiline?: boolean;
  placeholder?: string | undefined;
  described_by?: string | undefined;
  invalid?: boolean;
  onChange: (text: string) => void;
  onBlur?: () => void;
}

/** A text field that knows expressions: spans stand out, names complete, mistakes are underlined. */
export function ExpressionInput(props: ExpressionInputProps) {
  const t = useTranslations('editor.fields');
  const { insertion } = useEditor();
  const ask = useAskKnown(props.node_id);
  const around = useAmbient();
  const ambient = useRef(around);
  ambient.current = around;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef(props);
  latest.current = props;
  const { label, mode, multiline = false, placeholder, described_by } = props;

  useEffect(() => {
    const parent = host.current;
    if (!parent) return;
    const created = new EditorView({
      parent,
      state: EditorState.create({
        doc: latest.current.value,
        extensions: expressionExtensions({
          label,
          multiline,
          ...(placeholder ? { placeholder } : {}),
          ...(described_by ? { described_by } : {}),
          context: {
            mode,
            known: () => ask(ambient.current),
            words: {
              missing: (reference) => t('missing', { reference }),
              use: (suggestion) => t('use', { suggestion }),
            },
          },
          onChange: (text) => {
            if (text !== latest.current.value) latest.current.onChange(text);
          },
          onBlur: () => latest.current.onBlur?.(),
          onFocus: (focused) => insertion.getState().claim(focused, label),
        }),
      }),
    });
    view.current = created;
    return () => {
      insertion.getState().release(created);
      created.destroy();
      view.current = null;
    };
  }, [label, mode, multiline, placeholder, described_by, ask, insertion, t]);

  useEffect(() => {
    const current = view.current;
    if (!current || current.state.doc.toString() === props.value) return;
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: props.value } });
  }, [props.value]);

  return (
    <div
      ref={host}
      className={clsx(
        CONTROL,
        'overflow-hidden focus-within:border-focus focus-within:shadow-[0_0_0_2px_color-mix(in_oklch,var(--focus)_35%,transparent)]',
        multiline ? 'max-h-72 min-h-24 overflow-auto' : 'min-h-[var(--control-height)]',
        props.invalid && 'border-danger',
      )}
    />
  );
}
