import { Link } from '@tanstack/react-router';
import { CircleAlert, UserCheck } from 'lucide-react';
import { useFailureCount, useOpenReviewCount } from '../../data/inbox-count.ts';
import { Count } from '../../ui/display/status-chip.tsx';
import { useInboxTexts } from './texts/use-inbox-texts.ts';

const TAB =
  'inline-flex h-[calc(var(--control-height)-4px)] items-center gap-1.5 rounded-[5px] border border-transparent px-2.5 text-sm text-soft hover:text-text aria-[current=page]:border-line-strong aria-[current=page]:bg-surface aria-[current=page]:font-medium aria-[current=page]:text-text aria-[current=page]:shadow-s dark:aria-[current=page]:bg-active pointer-coarse:h-10 [&>svg]:size-4';

interface InboxTabsProps {
  /** How many the list on screen has, which may be filtered. */
  failures?: number;
  reviews?: number;
}

/** The two lists of the inbox, each a page of its own with its number. */
export function InboxTabs({ failures, reviews }: InboxTabsProps) {
  const t = useInboxTexts();
  const all = { failures: useFailureCount(true), reviews: useOpenReviewCount() };
  return (
    <nav
      aria-label={t('tabs')}
      className="inline-flex shrink-0 rounded-m border border-line-strong bg-sunken p-px"
    >
      <Link to="/inbox" activeOptions={{ exact: true, includeSearch: false }} className={TAB}>
        <CircleAlert aria-hidden />
        {t('failures')}
        <Count value={failures ?? all.failures} />
      </Link>
      <Link to="/inbox/reviews" activeOptions={{ includeSearch: false }} className={TAB}>
        <UserCheck aria-hidden />
        {t('reviews')}
        <Count value={reviews ?? all.reviews} />
      </Link>
    </nav>
  );
}
