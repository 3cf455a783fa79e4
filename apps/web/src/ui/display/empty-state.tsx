import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { Button } from '../actions/button.tsx';

interface EmptyStateProps {
  icon?: ReactNode;
  title: string;
  /** The purpose of this place and what to do next. */
  children?: ReactNode;
  actions?: ReactNode;
}

export function EmptyState({ icon, title, children, actions }: EmptyStateProps) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center px-6 py-14 text-center">
      {icon ? (
        <div className="mb-4 flex size-11 items-center justify-center rounded-l border border-line-strong bg-surface text-soft shadow-s [&>svg]:size-5">
          {icon}
        </div>
      ) : null}
      <h2 className="text-lg">{title}</h2>
      {children ? <div className="mt-1.5 text-base text-soft text-pretty">{children}</div> : null}
      {actions ? <div className="mt-5 flex flex-wrap justify-center gap-2">{actions}</div> : null}
    </div>
  );
}

interface NothingFoundProps {
  icon: ReactNode;
  title: string;
  /** Empty when only filters are set. */
  words: string;
  /** Takes the words out of the search, and with them the filters. */
  onShowAll: () => void;
}

/** A list of which a search or filter leaves nothing, with the way back to all of it. */
export function NothingFound({ icon, title, words, onShowAll }: NothingFoundProps) {
  const t = useTranslations('ui');
  const sought = words.trim();
  return (
    <EmptyState icon={icon} title={title} actions={<Button onClick={onShowAll}>{t('show_all')}</Button>}>
      {sought === '' ? null : t('sought', { words: sought })}
    </EmptyState>
  );
}

/** A list or panel that could not be loaded, with the way to try again. */
export function LoadFailed({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const t = useTranslations('ui');
  return (
    <div role="alert">
      <EmptyState
        icon={<TriangleAlert aria-hidden />}
        title={t('load_failed')}
        actions={<Button onClick={onRetry}>{t('try_again')}</Button>}
      >
        {error.message}
      </EmptyState>
    </div>
  );
}
