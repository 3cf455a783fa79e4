import { type ExpressionMode, preview } from '@millrace/engine';
import { clsx } from 'clsx';
import { useDeferredValue, useMemo, useState } from 'react';
import { explainText } from '../../../features/known-values/known-values.ts';
import { useKnown } from '../../../features/known-values/use-known.ts';
import { usePanelTexts } from '../../panel/texts/use-panel-texts.ts';
import { findForeignSyntax } from './foreign-syntax.ts';

const LONGEST = 240;
const LONGEST_OPEN = 20_000;

function shown(value: unknown, isOpen: boolean): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, isOpen ? 2 : 0) ?? '');
  const longest = isOpen ? LONGEST_OPEN : LONGEST;
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

const PATH = /^([A-Za-z]\w*)(?:\.\w+|\[[^\]]*\])+$/;

/** A path that begins as data of a node before does, although a run reads it as text without its `$`. */
function findBarePath(text: string, labels: Readonly<Record<string, unknown>>): string | undefined {
  const [path, root = ''] = PATH.exec(text.trim()) ?? [];
  return root === 'input' || Object.hasOwn(labels, root) ? path : undefined;
}

interface ExpressionPreviewProps {
  node_id: string;
  text: string;
  mode: ExpressionMode;
}

/** The result of the text with the data of the last run or of pins; nothing runs for it. */
export function ExpressionPreview({ node_id, text, mode }: ExpressionPreviewProps) {
  const t = usePanelTexts('fields');
  const known = useKnown(node_id);
  const typed = useDeferredValue(text);
  const [isOpen, setOpen] = useState(false);
  const found = useMemo(() => {
    if (!typed.includes('$')) {
      const path = mode === 'raw' ? findBarePath(typed, known.details) : undefined;
      return path === undefined ? undefined : { path };
    }
    const { missing, silent, mixed } = explainText(typed, mode, known);
    const shownFirst = { missing: missing[0], mixed: mixed[0] };
    const foreign = findForeignSyntax(typed, known.shapes);
    return { ...preview({ expression: typed, mode, scope: known.scope }), ...shownFirst, silent, foreign };
  }, [typed, mode, known]);
  if (!found) return null;
  if ('path' in found)
    return <output className="block text-sm text-warning">{t('bare_path', { path: found.path })}</output>;
  if (found.foreign) return <output className="block text-sm text-warning">{t(found.foreign)}</output>;
  if (found.silent.length > 0) {
    const labels = found.silent.map((label) => `$${label}`).join(', ');
    return <output className="block text-sm text-faint">{t('silent', { labels })}</output>;
  }
  const { missing, mixed } = found;
  const value = found.error ?? shown(found.result, isOpen);
  return (
    <output className="block min-w-0 text-sm" aria-live="off">
      <button
        type="button"
        aria-expanded={isOpen}
        title={isOpen ? t('preview_less') : t('preview_more')}
        onClick={() => setOpen(!isOpen)}
        className="flex w-full min-w-0 items-start gap-1.5 rounded-s text-left font-mono text-[12px] hover:bg-hover"
      >
        {value === found.result_type ? null : (
          <span className="mt-px shrink-0 rounded-s bg-sunken px-1 text-xs text-faint">
            {found.error ? t('error') : found.result_type}
          </span>
        )}
        <span
          className={clsx(
            'min-w-0 grow',
            isOpen ? 'max-h-48 overflow-auto break-words whitespace-pre-wrap' : 'truncate',
            found.error ? 'text-danger' : 'text-soft',
          )}
        >
          {value === '' ? t('empty_text') : value}
        </span>
      </button>
      {missing ? (
        <span className="block text-warning">
          {missing.suggestion
            ? t('missing_suggestion', { reference: missing.text, suggestion: missing.suggestion })
            : t('missing', { reference: missing.text })}
        </span>
      ) : null}
      {mixed ? (
        <span className="block text-warning">
          {t(mixed.is_numeric ? 'mixed_numeric' : 'mixed', { text: mixed.text })}
        </span>
      ) : null}
    </output>
  );
}
