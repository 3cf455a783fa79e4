import type { Review } from '@millrace/contracts';
import { Clock } from 'lucide-react';
import type { ReactNode } from 'react';
import { DateTime } from '../../ui/display/time.tsx';
import { useReviewTexts } from './texts/use-review-texts.ts';

interface ReviewHeadProps {
  review: Pick<Review, 'agent_label' | 'expires_at' | 'summary'>;
  /** Of the page or of a part of it. */
  level: 'h1' | 'h2';
  /** The workflow that asks. */
  children: ReactNode;
}

/** Who asks, until when, and what is to be decided. */
export function ReviewHead({ review, level: Heading, children }: ReviewHeadProps) {
  const t = useReviewTexts();
  return (
    <>
      <p className="flex flex-wrap gap-x-3 gap-y-1 text-sm text-faint">
        <span className="break-words">{children}</span>
        <span className="break-words">{review.agent_label}</span>
        <span className="inline-flex items-center gap-1">
          <Clock className="size-3.5" aria-hidden />
          {t.rich('open_until', { at: () => <DateTime at={review.expires_at} /> })}
        </span>
      </p>
      <Heading className="mt-2 text-2xl tracking-tight break-words whitespace-pre-wrap">
        {review.summary.trim() || t('title')}
      </Heading>
    </>
  );
}
