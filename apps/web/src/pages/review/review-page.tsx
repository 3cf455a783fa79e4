import type { Review } from '@millrace/contracts';
import { getRouteApi } from '@tanstack/react-router';
import { CircleCheck, CircleSlash, Clock, Link2Off } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { closedBy, type ReviewClosed, useDecideReview, useReview } from '../../data/reviews.ts';
import { LoadFailed } from '../../ui/display/empty-state.tsx';
import { Skeleton } from '../../ui/display/skeleton.tsx';
import { useTitle } from '../../ui/layout/use-title.ts';
import { PublicFrame } from './public-frame.tsx';
import { type Decided, ReviewForm } from './review-form.tsx';
import { ReviewHead } from './review-head.tsx';
import { useReviewTexts } from './texts/use-review-texts.ts';

const route = getRouteApi('/review/$token');

/** §4.4: one decision of a paused run, for anyone with the link. */
export function ReviewPage() {
  const t = useReviewTexts();
  const { token } = route.useParams();
  const query = useReview(token);
  const [outcome, setOutcome] = useState<Decided | ReviewClosed>();
  useTitle(query.data?.summary || t('title'));
  const closed = outcome ?? closedBy(query.error);
  return (
    <PublicFrame>
      {closed ? (
        <Outcome outcome={closed} />
      ) : query.data ? (
        <OpenReview token={token} review={query.data} onOutcome={setOutcome} />
      ) : query.isLoadingError ? (
        <LoadFailed error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <Loading />
      )}
    </PublicFrame>
  );
}

function Loading() {
  const t = useTranslations('ui');
  return (
    <div role="status" aria-label={t('loading')} className="flex flex-col gap-4">
      <Skeleton className="h-7 w-2/3" />
      <Skeleton className="h-4 w-1/3" />
      <Skeleton className="mt-4 h-64 w-full" />
    </div>
  );
}

interface OpenReviewProps {
  token: string;
  review: Review;
  onOutcome: (outcome: Decided | ReviewClosed) => void;
}

function OpenReview({ token, review, onOutcome }: OpenReviewProps) {
  const decide = useDecideReview(token);
  return (
    <>
      <ReviewHead review={review} level="h1">
        {review.workflow_name}
      </ReviewHead>
      <ReviewForm draft={review.original_draft_text} decide={decide} onOutcome={onOutcome} />
    </>
  );
}

const ICONS: Readonly<Record<Decided | ReviewClosed, ReactNode>> = {
  accepted: <CircleCheck aria-hidden />,
  edited: <CircleCheck aria-hidden />,
  refused: <CircleSlash aria-hidden />,
  decided: <CircleCheck aria-hidden />,
  expired: <Clock aria-hidden />,
  ended: <CircleSlash aria-hidden />,
  unknown: <Link2Off aria-hidden />,
};

/** The last word of the page. It takes the focus, so that a screen reader says it. */
function Outcome({ outcome }: { outcome: Decided | ReviewClosed }) {
  const t = useReviewTexts();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <div className="m-auto flex max-w-md flex-col items-center py-10 text-center">
      <div className="mb-4 flex size-12 items-center justify-center rounded-l border border-line-strong bg-surface text-soft shadow-s [&>svg]:size-6">
        {ICONS[outcome]}
      </div>
      <h1 ref={heading} tabIndex={-1} className="text-xl tracking-tight outline-none">
        {t(`outcome.${outcome}`)}
      </h1>
      <p className="mt-2 text-base text-soft text-pretty">{t(`outcome_hint.${outcome}`)}</p>
    </div>
  );
}
