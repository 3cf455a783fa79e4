import { clsx } from 'clsx';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { useEscape } from '../../lib/keyboard/use-escape.ts';
import { IconButton } from '../actions/icon-button.tsx';
import { ProgressBar } from '../display/progress-bar.tsx';

interface SelectionToolbarProps {
  count: number;
  onClear: () => void;
  /** How many of them a change that is under way has dealt with. */
  finished?: number | undefined;
  /** Stands where it is placed instead of floating above the end of the list. */
  inline?: boolean;
  children: ReactNode;
}

/** Actions on what is ticked in a list. */
export function SelectionToolbar({ count, onClear, finished, inline, children }: SelectionToolbarProps) {
  const ui = useTranslations('ui');
  useEscape(onClear);
  const label = ui('selected', { count });
  return (
    <div
      role="toolbar"
      aria-label={label}
      className={clsx(
        'flex items-center rounded-l border border-line-strong bg-raised shadow-m',
        inline
          ? 'px-1 py-0.5'
          : 'absolute inset-x-0 bottom-4 z-20 mx-auto w-fit max-w-[calc(100%-24px)] animate-lift flex-wrap gap-1.5 px-2.5 py-1.5',
      )}
    >
      <span className="tabular px-1.5 text-sm font-medium" aria-live="polite">
        {finished === undefined ? label : ui('done_of', { done: finished, count })}
      </span>
      {finished === undefined ? (
        children
      ) : (
        <ProgressBar
          label={ui('done_of', { done: finished, count })}
          share={finished / count}
          className="w-40"
        />
      )}
      {finished === undefined ? (
        <IconButton label={ui('clear_selection')} icon={<X aria-hidden />} size="small" onClick={onClear} />
      ) : null}
    </div>
  );
}
