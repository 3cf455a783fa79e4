import type { OwnReview } from '@millrace/contracts';
import { Link } from '@tanstack/react-router';
import { CircleSlash } from 'lucide-react';
import { useDecideOpenReview, useOpenReview } from '../../../data/open-reviews.ts';
import { closedBy, type ReviewClosed } from '../../../data/reviews.ts';
import { EmptyState, LoadFailed } from '../../../ui/display/empty-state.tsx';
import { SkeletonRows } from '../../../ui/display/skeleton.tsx';
import { type Decided, ReviewForm } from '../../review/review-form.tsx';
import { ReviewHead } from '../../review/review-head.tsx';
import { useReviewTexts } from '../../review/texts/use-review-texts.ts';
import { useInboxTexts } from '../texts/use-inbox-texts.ts';

interface ReviewDetailProps {
  id: string;
  onOutcome: (outcome: Decided | ReviewClosed) => void;
}

/** One open review with its draft and the ways to decide it. */
export function ReviewDetail({ id, onOutcome }: ReviewDetailProps) {
  const query = useOpenReview(id);
  const closed = closedBy(query.error);
  if (closed) return <Closed reason={closed} />;
  if (query.isLoadingError) return <LoadFailed error={query.error} onRetry={() => void query.refetch()} />;
  return query.data ? <OpenReview review={query.data} onOutcome={onOutcome} /> : <SkeletonRows rows={6} />;
}

function OpenReview({ review, onOutcome }: Pick<ReviewDetailProps, 'onOutcome'> & { review: OwnReview }) {
  const decide = useDecideOpenReview(review.id);
  return (
    <div className="h-full min-h-0 grow overflow-y-auto bg-canvas px-4 pt-4 sm:px-6">
      <ReviewHead review={review} level="h2">
        <Link to="/runs/$id" params={{ id: review.execution_id }} className="hover:underline">
          {review.workflow_name}
        </Link>
      </ReviewHead>
      <ReviewForm draft={review.original_draft_text} decide={decide} signedIn onOutcome={onOutcome} />
    </div>
  );
}

function Closed({ reason }: { reason: ReviewClosed }) {
  const t = useInboxTexts();
  const reviewText = useReviewTexts();
  const title = reason === 'unknown' ? t('review_unknown') : reviewText(`outcome.${reason}`);
  return (
    <EmptyState icon={<CircleSlash aria-hidden />} title={title}>
      {reason === 'unknown' ? null : reviewText(`outcome_hint.${reason}`)}
    </EmptyState>
  );
}
