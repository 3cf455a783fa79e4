import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, indentOnInput, indentUnit, syntaxTree } from '@codemirror/language';
import { type Diagnostic, linter, lintGutter } from '@codemirror/lint';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers, placeholder } from '@codemirror/view';
import { codeTheme } from '../text-editor/theme.ts';
import { OWN_KEYS, reportTo } from '../text-editor/view.ts';
import type { CodeLanguage } from './languages.ts';

export interface CodeSettings {
  readonly label: string;
  readonly described_by: string | undefined;
  readonly placeholder: string | undefined;
  readonly language: CodeLanguage;
}

export interface CodeEvents {
  /** Names behind `params.`, asked at every completion. */
  readonly names: () => readonly string[];
  /** The message at a place that the grammar does not know. */
  readonly problem: () => string;
  readonly onChange: (text: string) => void;
  readonly onBlur: () => void;
}

export const LANGUAGE = new Compartment();
export const ATTRIBUTES = new Compartment();

const MOST_PROBLEMS = 5;
const PARAMETER = /\bparams(?:\.|\[["'])\w*$/;

/** Names of the parameters that the node passes in. */
export function completeParameters(names: readonly string[], at: CompletionContext): CompletionResult | null {
  const found = at.matchBefore(PARAMETER);
  if (!found || names.length === 0) return null;
  const begun = /\w*$/.exec(found.text)?.[0] ?? '';
  return {
    from: at.pos - begun.length,
    options: names.map((label) => ({ label, type: 'property' })),
    validFor: /^\w*$/,
  };
}

/** Places that the grammar does not know, the first ones only: what follows a mistake is often its consequence. */
export function findSyntaxProblems(state: EditorState, message: string): Diagnostic[] {
  const problems: Diagnostic[] = [];
  syntaxTree(state).iterate({
    enter: ({ type, from, to }) => {
      if (problems.length >= MOST_PROBLEMS) return false;
      if (!type.isError) return true;
      const line = state.doc.lineAt(from);
      const start = from === line.to && from > line.from ? from - 1 : from;
      problems.push({ from: start, to: Math.max(to, start), severity: 'warning', message });
      return false;
    },
  });
  return problems;
}

export const drawAttributes = ({ label, described_by, placeholder: hint }: CodeSettings): Extension => [
  EditorView.contentAttributes.of({
    'aria-label': label,
    'aria-multiline': 'true',
    // Escape makes the next Tab leave the code instead of closing the dialog around it.
    'data-escape': '',
    spellcheck: 'false',
    ...(described_by ? { 'aria-describedby': described_by } : {}),
  }),
  hint ? placeholder(hint) : [],
];

/** An editor for code, with the grammar that was loaded for its language; until then it is plain text. */
export function codeExtensions(settings: CodeSettings, events: CodeEvents): Extension[] {
  // One function for the life of the editor, which tells sources of completions apart by identity.
  const parameters = [{ autocomplete: (at: CompletionContext) => completeParameters(events.names(), at) }];
  return [
    codeTheme,
    lineNumbers(),
    drawSelection(),
    history(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    EditorState.tabSize.of(4),
    indentUnit.of(settings.language === 'python' ? '    ' : '  '),
    autocompletion({ defaultKeymap: false }),
    EditorState.languageData.of(() => parameters),
    linter((view) => findSyntaxProblems(view.state, events.problem()), { delay: 600 }),
    lintGutter(),
    keymap.of([...closeBracketsKeymap, ...completionKeymap, ...OWN_KEYS, ...historyKeymap, indentWithTab]),
    ATTRIBUTES.of(drawAttributes(settings)),
    LANGUAGE.of([]),
    reportTo(events),
  ];
}
