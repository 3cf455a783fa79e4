import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTranslations } from 'use-intl';
import { useOpenReviews } from '../../../data/open-reviews.ts';
import type { ReviewClosed } from '../../../data/reviews.ts';
import { useLoadMore } from '../../../lib/use-load-more.ts';
import { useIsWide } from '../../../lib/use-media.ts';
import { LoadFailed } from '../../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../../ui/display/skeleton.tsx';
import { DetailPane } from '../../../ui/layout/detail-pane.tsx';
import { Page } from '../../../ui/layout/page.tsx';
import { toast } from '../../../ui/overlays/toast.ts';
import type { Decided } from '../../review/review-form.tsx';
import { useReviewTexts } from '../../review/texts/use-review-texts.ts';
import { InboxTabs } from '../inbox-tabs.tsx';
import { useInboxTexts } from '../texts/use-inbox-texts.ts';
import { NoReviews } from './no-reviews.tsx';
import { ReviewDetail } from './review-detail.tsx';
import { ReviewList } from './review-list.tsx';
import { ReviewsFilters } from './reviews-filters.tsx';
import { useStepKeys } from './use-step-keys.ts';

const route = getRouteApi('/app/inbox/reviews');

/** Says what became of a review. */
function useOutcomeToast(): (outcome: Decided | ReviewClosed) => void {
  const t = useInboxTexts();
  const reviewText = useReviewTexts();
  return (outcome) => {
    switch (outcome) {
      case 'accepted':
      case 'edited':
      case 'refused':
        return toast.done(t(`review_${outcome}`));
      case 'unknown':
        return toast.failed(t('review_unknown'));
      default:
        return toast.failed(reviewText(`outcome.${outcome}`));
    }
  };
}

/** Drafts that wait for a decision, to be gone through one by one. */
export function ReviewsPage() {
  const nav = useTranslations('nav');
  const reviewText = useReviewTexts();
  const { workflow, q, review: shown } = route.useSearch();
  const navigate = route.useNavigate();
  const list = useOpenReviews({
    ...(workflow ? { workflow_id: workflow } : {}),
    ...(q ? { search: q } : {}),
  });
  const reviews = useMemo(() => list.data?.pages.flatMap(({ items }) => items) ?? [], [list.data]);
  const onEnd = useLoadMore(list);
  const wide = useIsWide();
  const tell = useOutcomeToast();
  const open = (review: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, review }), replace: shown !== undefined });
  const at = reviews.findIndex(({ id }) => id === shown);
  const step = (by: 1 | -1) => {
    const next = reviews[at < 0 ? 0 : at + by];
    if (!next) return;
    open(next.id);
    // So that Tab leads on from the row that is shown, and it scrolls into view; a sheet keeps the focus.
    if (wide) document.querySelector<HTMLElement>(`[data-menu-owner="${next.id}"]`)?.focus();
  };
  useStepKeys(step);
  const onOutcome = (outcome: Decided | ReviewClosed) => {
    tell(outcome);
    if (reviews[at + 1]) step(1);
    else if (at > 0) step(-1);
    else open(undefined);
  };
  const count = list.data?.pages[0]?.count;
  return (
    <Page
      fill
      title={nav('inbox')}
      badge={<InboxTabs {...(count === undefined ? {} : { reviews: count })} />}
      toolbar={<ReviewsFilters />}
    >
      <div className="flex min-h-0 grow">
        <div className="flex min-w-0 grow flex-col">
          {list.isPending ? (
            <SkeletonRows rows={14} />
          ) : list.isLoadingError ? (
            <LoadFailed error={list.error} onRetry={() => void list.refetch()} />
          ) : reviews.length === 0 ? (
            <NoReviews />
          ) : (
            <ReviewList
              reviews={reviews}
              activeId={shown}
              compact={wide && shown !== undefined}
              onOpen={({ id }) => open(id)}
              onEnd={onEnd}
            />
          )}
        </div>
        {shown ? (
          <DetailPane title={reviewText('title')} id={shown} onClose={() => open(undefined)}>
            <ReviewDetail key={shown} id={shown} onOutcome={onOutcome} />
          </DetailPane>
        ) : null}
      </div>
    </Page>
  );
}
