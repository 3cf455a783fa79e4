import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** The code editor in the tokens of the app, so that it follows the theme without a second set of colours. */
export const codeTheme = [
  EditorView.theme({
    '&': { backgroundColor: 'transparent', color: 'var(--text)', fontSize: '12.5px' },
    '.cm-content': { fontFamily: 'var(--mono)', padding: '5px 0', caretColor: 'var(--text)' },
    '.cm-line': { padding: '0 10px' },
    '&.cm-focused': { outline: 'none' },
    '.cm-cursor': { borderLeftColor: 'var(--text)' },
    '.cm-dropCursor': { borderLeft: '2px solid var(--accent)' },
    '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
      backgroundColor: 'color-mix(in oklch, var(--accent) 26%, transparent) !important',
    },
    '.cm-placeholder': { color: 'var(--text-faint)' },
    '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--text-faint)', border: 'none' },
    '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
    '.cm-tooltip': {
      backgroundColor: 'var(--raised)',
      border: '1px solid var(--line-strong)',
      borderRadius: 'var(--round-m)',
      boxShadow: 'var(--lift-m)',
      overflow: 'hidden',
    },
    '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '15em' },
    '.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px' },
    '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
      backgroundColor: 'var(--accent-tint)',
      color: 'var(--text)',
    },
    '.cm-completionDetail': { color: 'var(--text-faint)', fontStyle: 'normal', marginLeft: '10px' },
    '.cm-completionInfo': { padding: '6px 10px', maxWidth: '320px', fontFamily: 'var(--sans)' },
    '.cm-diagnostic': { padding: '4px 8px', borderLeft: '3px solid var(--danger)' },
    '.cm-lintRange-error': { backgroundImage: 'none', borderBottom: '2px dotted var(--danger)' },
    '.cm-lintRange-warning': { backgroundImage: 'none', borderBottom: '2px dotted var(--warning)' },
    '.cm-diagnostic-warning': { borderLeft: '3px solid var(--warning)' },
    '.cm-diagnosticAction': {
      padding: '1px 8px',
      border: '1px solid var(--line-strong)',
      borderRadius: 'var(--round-s)',
      backgroundColor: 'var(--surface)',
      color: 'var(--text)',
      font: 'inherit',
    },
    '& .cm-matchingBracket': { backgroundColor: 'transparent' },
    '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--active)' },
    '.cm-completionIcon': { width: '14px', paddingRight: '8px', opacity: '0.75' },
    '.cm-span': { backgroundColor: 'var(--accent-tint)', borderRadius: '3px' },
  }),
  syntaxHighlighting(
    HighlightStyle.define([
      { tag: tags.string, color: 'var(--success)' },
      { tag: tags.number, color: 'var(--warning)' },
      { tag: tags.keyword, color: 'var(--family-data)' },
      { tag: tags.propertyName, color: 'var(--info)' },
      { tag: tags.function(tags.variableName), color: 'var(--family-flow)' },
      { tag: tags.variableName, color: 'var(--accent-text)' },
    ]),
  ),
];
