import type { OpenReview } from '@millrace/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { UserCheck } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { renew } from '../../data/endpoint.ts';
import { useOpenReviews } from '../../data/open-reviews.ts';
import { RUNS, useRun } from '../../data/runs.ts';
import { buttonStyle } from '../../ui/actions/button.tsx';
import { useRunViewTexts } from './texts/use-run-view-texts.ts';

interface PausedRunProps {
  run_id: string;
  /** Called when the run has continued, so that what is shown of it is out of date. */
  onContinued: () => Promise<void>;
}

/** The decision that a person has to make before a run that waits continues, with the way there. */
export function PausedRun({ run_id, onContinued }: PausedRunProps) {
  const { data: entry } = useRun(run_id);
  const isAsking = entry?.node_results.some(({ metadata }) => metadata?.['waits_for'] === 'review') === true;
  const workflow_id = entry?.workflow_id;
  const { data: list } = useOpenReviews(workflow_id ? { workflow_id } : {}, { enabled: isAsking });
  const reviews = list?.pages
    .flatMap(({ items }) => items)
    .filter(({ execution_id }) => execution_id === run_id);
  const client = useQueryClient();
  const status = entry?.status ?? 'pending';
  const ids = reviews?.map(({ id }) => id).join(' ') ?? '';
  const first = useRef('');
  useEffect(() => {
    // Decided between two looks, the run may already wait for the next review.
    const isNext = first.current !== '' && ids !== '' && ids !== first.current;
    if (first.current === '') first.current = ids;
    if (status === 'pending' && !isNext) return;
    void onContinued().then(() => renew(client, RUNS));
  }, [status, ids, onContinued, client]);
  return reviews?.length ? <Reviews reviews={reviews} /> : null;
}

function Reviews({ reviews }: { reviews: readonly OpenReview[] }) {
  const t = useRunViewTexts();
  return (
    <ul className="shrink-0 border-b border-warning-line bg-warning-tint">
      {reviews.map(({ id, workflow_id, summary }) => (
        <li key={id} className="flex items-start gap-2 px-3.5 py-2">
          <UserCheck className="mt-0.5 size-4 shrink-0 text-warning" aria-hidden />
          <p className="min-w-0 grow text-sm">
            <span className="font-medium">{t('waits_for_review')}</span>
            <span className="block break-words text-soft">{summary}</span>
          </p>
          <Link
            to="/inbox/reviews"
            search={{ workflow: workflow_id, review: id }}
            className={buttonStyle({ tone: 'primary', size: 'small' })}
          >
            {t('decide')}
          </Link>
        </li>
      ))}
    </ul>
  );
}
