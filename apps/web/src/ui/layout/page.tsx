import { clsx } from 'clsx';
import type { ReactNode } from 'react';
import { useTitle } from './use-title.ts';

interface PageProps {
  title: ReactNode;
  /** Shown beside the title: a count, a chip. */
  badge?: ReactNode;
  /** Before the title: a back link. */
  lead?: ReactNode;
  actions?: ReactNode;
  /** A second line with search and filters. */
  toolbar?: ReactNode;
  /** Lets the content keep its own scrolling. */
  fill?: boolean;
  children: ReactNode;
}

/** The frame of every screen: one heading, its actions at the right, an optional tool line, the content. */
export function Page({ title, badge, lead, actions, toolbar, fill = false, children }: PageProps) {
  useTitle(typeof title === 'string' ? title : undefined);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <header className="flex min-h-13 shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-4 py-2 sm:px-5">
        {lead}
        <h1 className="flex min-w-0 items-center gap-2 truncate text-lg font-semibold">{title}</h1>
        {badge}
        {actions ? <div className="ml-auto flex items-center gap-2">{actions}</div> : null}
      </header>
      {toolbar ? (
        <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-4 py-2 sm:px-5">
          {toolbar}
        </div>
      ) : null}
      <div className={clsx('min-h-0 grow', fill ? 'flex flex-col' : 'overflow-y-auto')}>{children}</div>
    </div>
  );
}

interface SectionProps {
  title: ReactNode;
  hint?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** A titled block of a settings-like screen. */
export function Section({ title, hint, actions, children }: SectionProps) {
  return (
    <section className="grid gap-x-8 gap-y-3 border-b border-line py-6 last:border-b-0 lg:grid-cols-[240px_minmax(0,1fr)]">
      <div>
        <h2 className="text-base font-semibold">{title}</h2>
        {hint ? <p className="mt-1 text-sm text-soft">{hint}</p> : null}
        {actions ? <div className="mt-3">{actions}</div> : null}
      </div>
      <div className="min-w-0">{children}</div>
    </section>
  );
}
