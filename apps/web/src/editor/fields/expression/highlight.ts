import { highlightingFor } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { type Tag, tags } from '@lezer/highlight';
import { type ExpressionMode, findSpans } from '@millrace/engine';

const TOKEN =
  /(?<string>"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)|(?<name>\$[A-Za-z]\w*)|(?<call>\.?[A-Za-z_]\w*(?=\())|(?<member>(?<=\.)[A-Za-z_]\w*)|(?<number>\b\d+(?:\.\d+)?\b)|(?<word>\b(?:and|or|not|in|if|else|for|true|false|null|True|False|None)\b)/g;

const TAGS: Readonly<Record<string, Tag>> = {
  string: tags.string,
  name: tags.variableName,
  call: tags.function(tags.variableName),
  member: tags.propertyName,
  number: tags.number,
  word: tags.keyword,
};

const span = Decoration.mark({ class: 'cm-span' });

/** Where in a text expressions stand: its `$spans`, or all of it where the field reads the whole text as one. */
export function expressionRanges(text: string, mode: ExpressionMode): { from: number; to: number }[] {
  const isWhole = mode === 'condition' || ((mode === 'value' || mode === 'raw') && /^\s*\$/.test(text));
  if (isWhole) return [{ from: 0, to: text.length }];
  return findSpans(text).map(({ start, end }) => ({ from: start, to: end }));
}

function buildDecorations(state: EditorState, mode: ExpressionMode): DecorationSet {
  const text = state.doc.toString();
  const marks = findSpans(text).map(({ start, end }) => span.range(start, end));
  for (const { from, to } of expressionRanges(text, mode)) {
    for (const match of text.slice(from, to).matchAll(TOKEN)) {
      const kind = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined)?.[0];
      const name = kind === undefined ? null : highlightingFor(state, [TAGS[kind] ?? tags.name]);
      if (!name) continue;
      const start = from + match.index;
      marks.push(Decoration.mark({ class: name }).range(start, start + match[0].length));
    }
  }
  return Decoration.set(marks, true);
}

/** Colours of the expression language, only where a text holds expressions. */
export function highlightExpressions(mode: ExpressionMode) {
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(view: EditorView) {
        this.decorations = buildDecorations(view.state, mode);
      }
      update(update: ViewUpdate): void {
        if (update.docChanged) this.decorations = buildDecorations(update.state, mode);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
}
