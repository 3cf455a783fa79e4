import { listInbox, listOpenReviews } from '@millrace/contracts';
import { useQuery } from '@tanstack/react-query';
import { api } from './api.ts';
import { keys } from './keys.ts';

const GLANCED_MS = 30_000;

/** How many failures and refused deliveries ask for a person. */
export const useFailureCount = (): number =>
  useQuery({
    queryKey: keys.inboxCount,
    queryFn: ({ signal }) => api(listInbox, { query: { limit: 1 } }, { signal }),
    select: ({ counts }) => counts.failed + counts.given_up + counts.refused,
    refetchInterval: GLANCED_MS,
  }).data ?? 0;

/** How many reviews wait for a decision. */
export const useOpenReviewCount = (): number =>
  useQuery({
    queryKey: keys.openReviewCount,
    queryFn: ({ signal }) => api(listOpenReviews, { query: { limit: 1 } }, { signal }),
    select: ({ count }) => count,
    refetchInterval: GLANCED_MS,
  }).data ?? 0;

/** Both, for the sidebar. */
export const useInboxCount = (): number => useFailureCount() + useOpenReviewCount();
