import type { OpenReview } from '@millrace/contracts';
import { useMemo } from 'react';
import { Ago, Ahead, DateTime } from '../../../ui/display/time.tsx';
import type { Column } from '../../../ui/layout/data-table.tsx';
import { VirtualTable } from '../../../ui/layout/virtual-table.tsx';
import { useReviewTexts } from '../../review/texts/use-review-texts.ts';
import { useInboxTexts } from '../texts/use-inbox-texts.ts';

interface ReviewListProps {
  reviews: readonly OpenReview[];
  activeId: string | undefined;
  /** Without the columns of times, which then stand below the summary. */
  compact: boolean;
  onOpen: (review: OpenReview) => void;
  onEnd: () => void;
}

function useColumns(compact: boolean): Column<OpenReview>[] {
  const t = useInboxTexts();
  const reviewText = useReviewTexts();
  return useMemo(() => {
    const summary: Column<OpenReview> = {
      id: 'summary',
      header: t('summary'),
      width: 'minmax(160px, 3fr)',
      cell: ({ summary, workflow_name, asked_at, expires_at }) => (
        <span className="min-w-0">
          <span className="block truncate font-medium" title={summary}>
            {summary.trim() || reviewText('title')}
          </span>
          <span className="block truncate text-sm text-faint">
            {workflow_name}
            <span className={compact ? '' : 'md:hidden'}>
              {' · '}
              <Ago at={asked_at} />
              {expires_at ? (
                <>
                  {' · '}
                  {t.rich('ends', { at: () => <Ahead at={expires_at} /> })}
                </>
              ) : null}
            </span>
          </span>
        </span>
      ),
    };
    if (compact) return [summary];
    return [
      summary,
      {
        id: 'asked',
        header: t('asked'),
        wide: true,
        width: '140px',
        cell: ({ asked_at }) => <Ago at={asked_at} className="truncate text-soft" />,
      },
      {
        id: 'deadline',
        header: t('deadline'),
        wide: true,
        width: '180px',
        cell: ({ expires_at }) =>
          expires_at ? <DateTime at={expires_at} className="truncate text-soft" /> : '–',
      },
    ];
  }, [t, reviewText, compact]);
}

export function ReviewList({ reviews, activeId, compact, onOpen, onEnd }: ReviewListProps) {
  const t = useInboxTexts();
  return (
    <VirtualTable
      label={t('reviews')}
      columns={useColumns(compact)}
      rows={reviews}
      rowKey={({ id }) => id}
      activeKey={activeId}
      onOpen={onOpen}
      onEnd={onEnd}
      rowHeight={50}
    />
  );
}
