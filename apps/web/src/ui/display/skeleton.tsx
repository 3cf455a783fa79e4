import { clsx } from 'clsx';
import { useTranslations } from 'use-intl';

export function Skeleton({ className }: { className?: string }) {
  return (
    <span aria-hidden data-skeleton className={clsx('block animate-pulse rounded-s bg-active', className)} />
  );
}

const WIDTHS = ['w-2/5', 'w-1/3', 'w-1/2', 'w-[28%]', 'w-[45%]'];

/** Lines in the shape of a table while it loads. */
export function SkeletonRows({ rows = 8 }: { rows?: number }) {
  const t = useTranslations('ui');
  return (
    <div role="status" aria-label={t('loading')}>
      {Array.from({ length: rows }, (_, index) => (
        <div
          key={index}
          className="flex h-[var(--row-height)] items-center gap-4 border-b border-line px-5"
          style={{ opacity: 1 - index / (rows + 2) }}
        >
          <Skeleton className="size-4" />
          <Skeleton className={clsx('h-3', WIDTHS[index % WIDTHS.length])} />
          <Skeleton className="ml-auto h-3 w-20" />
        </div>
      ))}
    </div>
  );
}
