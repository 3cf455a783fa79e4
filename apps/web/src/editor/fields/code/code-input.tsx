import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { usePanelTexts } from '../../panel/texts/use-panel-texts.ts';
import { editorBox, replaceText } from '../text-editor/view.ts';
import { ATTRIBUTES, codeExtensions, drawAttributes, LANGUAGE } from './code-extensions.ts';
import { type CodeLanguage, loadLanguage } from './languages.ts';

interface CodeInputProps {
  label: string;
  value: string;
  language: CodeLanguage;
  /** Names that the code reads from `params`. */
  names?: readonly string[];
  placeholder?: string | undefined;
  described_by?: string | undefined;
  invalid?: boolean;
  small?: boolean;
  onChange: (text: string) => void;
  onBlur?: () => void;
}

const LANGUAGE_NAMES = { python: 'Python', javascript: 'JavaScript', typescript: 'TypeScript' } as const;
const NO_NAMES: readonly string[] = [];

/**
 * A field for code: highlighted, indented, with completion of names and its syntax checked while it is written. Tab indents;
 * Escape and then Tab leaves the field. The editor is created once for a language; a new text is put into it.
 */
export default function CodeInput(props: CodeInputProps) {
  const t = usePanelTexts('fields');
  const { label, language, described_by, placeholder } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef({ props, t });
  latest.current = { props, t };

  useEffect(() => {
    const parent = host.current;
    if (!parent) return;
    const start = latest.current.props;
    const extensions = codeExtensions(
      {
        label: start.label,
        language,
        described_by: start.described_by,
        placeholder: start.placeholder,
      },
      {
        names: () => latest.current.props.names ?? NO_NAMES,
        problem: () => latest.current.t('code_problem', { language: LANGUAGE_NAMES[language] }),
        onChange: (text) => {
          if (text !== latest.current.props.value) latest.current.props.onChange(text);
        },
        onBlur: () => latest.current.props.onBlur?.(),
      },
    );
    const created = new EditorView({ parent, state: EditorState.create({ doc: start.value, extensions }) });
    view.current = created;
    let isGone = false;
    loadLanguage(language).then(
      (grammar) => {
        if (!isGone) created.dispatch({ effects: LANGUAGE.reconfigure(grammar) });
      },
      // A new version of the page has other files; the code is plain text until it is loaded again.
      () => undefined,
    );
    return () => {
      isGone = true;
      created.destroy();
      view.current = null;
    };
  }, [language]);

  useEffect(() => {
    view.current?.dispatch({
      effects: ATTRIBUTES.reconfigure(drawAttributes({ label, language, described_by, placeholder })),
    });
  }, [label, language, described_by, placeholder]);

  useEffect(() => {
    replaceText(view.current, props.value);
  }, [props.value]);

  return (
    <div
      ref={host}
      className={editorBox(
        props.small ? 'max-h-64 min-h-32 overflow-auto' : 'max-h-[60vh] min-h-72 overflow-auto',
        props.invalid,
      )}
    />
  );
}
