import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { ExpressionMode } from '@millrace/engine';
import { useEffect, useMemo, useRef } from 'react';
import { nodeById } from '../../../features/document/edit.ts';
import { useAmbient } from '../../../features/known-values/ambient.ts';
import { useAskKnown } from '../../../features/known-values/use-known.ts';
import { usePanelTexts } from '../../panel/texts/use-panel-texts.ts';
import { useEditor } from '../../state/context.tsx';
import { editorBox, replaceText } from '../text-editor/view.ts';
import { isInitial } from './example.ts';
import {
  changedSettings,
  expressionExtensions,
  type FieldEvents,
  type FieldSettings,
} from './expression-extensions.ts';

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

/**
 * A text field for expressions: spans stand out, names complete, mistakes are underlined. The editor is created
 * once per node; all other changes are applied to it, because a new one would take the focus from the person typing.
 */
export function ExpressionInput(props: ExpressionInputProps) {
  const t = usePanelTexts('fields');
  const { insertion, store, catalog } = useEditor();
  const ask = useAskKnown(props.node_id);
  const ambient = useAmbient();
  const { label, mode, multiline = false, placeholder, described_by } = props;
  const settings: FieldSettings = { label, mode, multiline, placeholder, described_by };
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef({ props, ask, ambient, t, settings });
  latest.current = { props, ask, ambient, t, settings };
  const applied = useRef(settings);

  const events = useMemo(
    (): FieldEvents => ({
      known: () => latest.current.ask(latest.current.ambient),
      words: () => ({
        missing: (reference) => latest.current.t('missing', { reference }),
        use: (suggestion) => latest.current.t('use', { suggestion }),
      }),
      onChange: (text) => {
        if (text !== latest.current.props.value) latest.current.props.onChange(text);
      },
      onBlur: () => latest.current.props.onBlur?.(),
      onFocus: (focused) => insertion.getState().claim(focused, latest.current.props.label),
      isExample: (text) => {
        const node = nodeById(store.getState().document, latest.current.props.node_id);
        return node !== undefined && isInitial(catalog.get(node.type)?.initial, text);
      },
    }),
    [insertion, store, catalog],
  );

  useEffect(() => {
    const parent = host.current;
    if (!parent) return;
    const start = latest.current;
    applied.current = start.settings;
    const created = new EditorView({
      parent,
      state: EditorState.create({
        doc: start.props.value,
        extensions: expressionExtensions(start.settings, events),
      }),
    });
    view.current = created;
    return () => {
      insertion.getState().release(created);
      created.destroy();
      view.current = null;
    };
  }, [events, insertion]);

  useEffect(() => {
    const effects = changedSettings(applied.current, latest.current.settings, events);
    applied.current = latest.current.settings;
    if (effects.length > 0) view.current?.dispatch({ effects });
  }, [label, mode, multiline, placeholder, described_by, events]);

  useEffect(() => {
    replaceText(view.current, props.value);
  }, [props.value]);

  return (
    <div
      ref={host}
      className={editorBox(
        multiline ? 'max-h-72 min-h-24 overflow-auto' : 'min-h-[var(--control-height)] overflow-hidden',
        props.invalid,
      )}
    />
  );
}
