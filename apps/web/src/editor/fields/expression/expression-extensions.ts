import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  closeCompletion,
  completionKeymap,
  completionStatus,
} from '@codemirror/autocomplete';
import { history, historyKeymap } from '@codemirror/commands';
import { bracketMatching } from '@codemirror/language';
import { type Diagnostic, linter } from '@codemirror/lint';
import { Compartment, EditorState, type Extension, type StateEffect } from '@codemirror/state';
import { dropCursor, EditorView, keymap, placeholder } from '@codemirror/view';
import { compile, complete, type ExpressionMode } from '@millrace/engine';
import { explainText, type KnownValues } from '../../../features/known-values/known-values.ts';
import { withSuggestion } from '../../../features/ran-node/suggestion.ts';
import { codeTheme } from '../text-editor/theme.ts';
import { OWN_KEYS, reportTo } from '../text-editor/view.ts';
import { selectExample } from './example.ts';
import { highlightExpressions } from './highlight.ts';
import { insertReference } from './insertion.ts';
import { readReference } from './reference.ts';

export interface ExpressionContext {
  readonly mode: ExpressionMode;
  /** Called at every completion and check, so that it returns the newest results. */
  readonly known: () => KnownValues;
  /** Asked at every check, so that it follows the language of the page. */
  readonly words: () => {
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
        message: words().missing(missing.text),
        ...(suggestion === null ? {} : { actions: [{ name: words().use(suggestion), apply: use }] }),
      };
    });
  };
}

/** Closes the completions of the field that has the focus; false when none are open. */
export function closeOpenCompletion(): boolean {
  const focused = document.activeElement;
  const view = focused instanceof HTMLElement ? EditorView.findFromDOM(focused) : null;
  return view !== null && completionStatus(view.state) !== null && closeCompletion(view);
}

/** A value of the tree of inputs becomes a reference where it is dropped; any other text is dropped as it is. */
const takesReferences = EditorView.domEventHandlers({
  drop: (event, view) => {
    const path = readReference(event.dataTransfer);
    if (!path) return false;
    event.preventDefault();
    const at = view.posAtCoords({ x: event.clientX, y: event.clientY }, false);
    insertReference(view, path, { from: at, to: at });
    return true;
  },
});

/** A field of one line: Enter belongs to the form around it. */
const oneLine = EditorState.transactionFilter.of((transaction) =>
  transaction.newDoc.lines > 1 ? [] : transaction,
);

/**
 * The settings that may change while a field keeps its editor, and with it focus, selection, open completions and undo
 * history.
 */
export interface FieldSettings {
  readonly label: string;
  readonly described_by: string | undefined;
  readonly placeholder: string | undefined;
  readonly multiline: boolean;
  readonly mode: ExpressionMode;
}

export interface FieldEvents {
  readonly known: ExpressionContext['known'];
  readonly words: ExpressionContext['words'];
  readonly onChange: (text: string) => void;
  readonly onBlur: () => void;
  readonly onFocus: (view: EditorView) => void;
  readonly isExample: (text: string) => boolean;
}

const PARTS = {
  attributes: new Compartment(),
  placeholder: new Compartment(),
  lines: new Compartment(),
  language: new Compartment(),
} as const;

type PartName = keyof typeof PARTS;

const DRAWN: Readonly<
  Record<PartName, (settings: FieldSettings, events: Pick<FieldEvents, 'known' | 'words'>) => Extension>
> = {
  attributes: ({ label, described_by }) =>
    EditorView.contentAttributes.of({
      'aria-label': label,
      ...(described_by ? { 'aria-describedby': described_by } : {}),
    }),
  placeholder: (settings) => (settings.placeholder ? placeholder(settings.placeholder) : []),
  lines: ({ multiline }) => (multiline ? EditorView.lineWrapping : oneLine),
  language: ({ mode }, { known, words }) => [
    highlightExpressions(mode),
    autocompletion({ override: [completions({ mode, known, words })], defaultKeymap: false }),
    linter(problems({ mode, known, words }), { delay: 250 }),
  ],
};

const READS: Readonly<Record<PartName, readonly (keyof FieldSettings)[]>> = {
  attributes: ['label', 'described_by'],
  placeholder: ['placeholder'],
  lines: ['multiline'],
  language: ['mode'],
};

const PART_NAMES = Object.keys(PARTS) as PartName[];

/** Effects that bring an existing editor from one set of settings to another; empty when they are equal. */
export function changedSettings(
  before: FieldSettings,
  after: FieldSettings,
  events: Pick<FieldEvents, 'known' | 'words'>,
): StateEffect<unknown>[] {
  return PART_NAMES.filter((part) => READS[part].some((key) => before[key] !== after[key])).map((part) =>
    PARTS[part].reconfigure(DRAWN[part](after, events)),
  );
}

export function expressionExtensions(settings: FieldSettings, events: FieldEvents): Extension[] {
  return [
    codeTheme,
    bracketMatching(),
    closeBrackets(),
    history(),
    dropCursor(),
    takesReferences,
    keymap.of([...closeBracketsKeymap, ...completionKeymap, ...OWN_KEYS, ...historyKeymap]),
    ...PART_NAMES.map((part) => PARTS[part].of(DRAWN[part](settings, events))),
    reportTo(events),
    selectExample(events.isExample),
    EditorView.domEventHandlers({
      focus: (_event, view) => {
        events.onFocus(view);
        return false;
      },
    }),
  ];
}
