import { listInbox, listOpenReviews } from '@millrace/contracts';
import { useEndpoint } from './endpoint.ts';

const GLANCED_MS = 30_000;

/** How many failures and refused deliveries ask for a person. */
export const useFailureCount = (): number =>
  useEndpoint(
    listInbox,
    { query: { limit: 1 } },
    {
      select: ({ counts }) => counts.failed + counts.given_up + counts.refused,
      refetchInterval: GLANCED_MS,
    },
  ).data ?? 0;

/** How many reviews wait for a decision. */
export const useOpenReviewCount = (): number =>
  useEndpoint(
    listOpenReviews,
    { query: { limit: 1 } },
    { select: ({ count }) => count, refetchInterval: GLANCED_MS },
  ).data ?? 0;

/** Both, for the sidebar. */
export const useInboxCount = (): number => useFailureCount() + useOpenReviewCount();
