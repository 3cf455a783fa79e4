import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching } from '@codemirror/language';
import { type Diagnostic, linter } from '@codemirror/lint';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap, placeholder } from '@codemirror/view';
import { compile, complete, type ExpressionMode } from '@millrace/engine';
import { codeTheme } from './code-theme.ts';
import { highlightExpressions } from './highlight.ts';
import { explainText, type KnownValues } from './known-values.ts';
import { withSuggestion } from './suggestion.ts';

export interface ExpressionContext {
  readonly mode: ExpressionMode;
  /** Asked at every completion and check, so that it tells the newest results. */
  readonly known: () => KnownValues;
  readonly words: {
    readonly missing: (reference: string) => string;
    readonly use: (suggestion: string) => string;
  };
}

const COMPLETION_KIND = {
  name: 'variable',
  key: 'property',
  property: 'property',
  method: 'method',
  function: 'function',
} as const;

function completions(context: ExpressionContext) {
  return (at: CompletionContext): CompletionResult | null => {
    const { shapes, details } = context.known();
    const text = at.state.doc.toString();
    const found = complete(text, at.pos, { values: shapes, details, mode: context.mode });
    const first = found[0];
    if (!first) return null;
    return {
      from: first.from,
      filter: false,
      options: found.map((item) => ({
        label: item.label,
        apply: item.insert,
        detail: item.detail,
        type: COMPLETION_KIND[item.kind],
        ...(item.doc ? { info: item.doc } : {}),
      })),
    };
  };
}

/** Underlines what cannot be read and what leads nowhere, with what to do about it. */
function problems({ mode, known, words }: ExpressionContext) {
  return (view: EditorView): Diagnostic[] => {
    const text = view.state.doc.toString();
    const { problems: found } = compile(text, mode);
    const broken = found.map(
      (problem): Diagnostic => ({
        from: Math.min(problem.start, text.length),
        to: Math.min(Math.max(problem.end, problem.start + 1), text.length),
        severity: 'error',
        message: problem.message,
      }),
    );
    if (broken.length > 0 || !text.includes('$')) return broken;
    return explainText(text, mode, known()).missing.map((missing): Diagnostic => {
      const { start, end, suggestion } = missing;
      const use = (target: EditorView) =>
        target.dispatch({ changes: { from: 0, to: text.length, insert: withSuggestion(text, missing) } });
      return {
        from: start,
        to: end,
        severity: 'warning',
        message: words.missing(missing.text),
        ...(suggestion === null ? {} : { actions: [{ name: words.use(suggestion), apply: use }] }),
      };
    });
  };
}

/** Without the one that starts a run. */
const OWN_KEYS = defaultKeymap.filter(({ key }) => key !== 'Mod-Enter');

/** A field of one line: Enter belongs to the form around it. */
const oneLine = EditorState.transactionFilter.of((transaction) =>
  transaction.newDoc.lines > 1 ? [] : transaction,
);

export interface FieldExtensions {
  label: string;
  described_by?: string;
  placeholder?: string;
  multiline: boolean;
  context: ExpressionContext;
  onChange: (text: string) => void;
  onBlur: () => void;
  onFocus: (view: EditorView) => void;
}

export function expressionExtensions(options: FieldExtensions): Extension[] {
  return [
    codeTheme,
    highlightExpressions(options.context.mode),
    bracketMatching(),
    closeBrackets(),
    history(),
    keymap.of([...closeBracketsKeymap, ...completionKeymap, ...OWN_KEYS, ...historyKeymap]),
    autocompletion({ override: [completions(options.context)], defaultKeymap: false }),
    linter(problems(options.context), { delay: 250 }),
    options.multiline ? EditorView.lineWrapping : oneLine,
    ...(options.placeholder ? [placeholder(options.placeholder)] : []),
    EditorView.contentAttributes.of({
      'aria-label': options.label,
      ...(options.described_by ? { 'aria-describedby': options.described_by } : {}),
    }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) options.onChange(update.state.doc.toString());
    }),
    EditorView.domEventHandlers({
      blur: () => {
        options.onBlur();
        return false;
      },
      focus: (_event, view) => {
        options.onFocus(view);
        return false;
      },
    }),
  ];
}
