import { listInbox, listOpenReviews } from '@millrace/contracts';
import { useEndpoint } from './endpoint.ts';

const GLANCED_MS = 30_000;

/** How many failures and refused deliveries ask for a person; with or without own trials. */
export const useFailureCount = (trials: boolean): number =>
  useEndpoint(
    listInbox,
    { query: { limit: 1, ...(trials ? {} : { trials: 'false' }) } },
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

/** Both, for the navigation. Who tries a draft sees its failures on the canvas. */
export const useInboxCount = (): number => useFailureCount(false) + useOpenReviewCount();
