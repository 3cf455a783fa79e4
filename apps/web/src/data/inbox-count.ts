import { listInbox } from '@millrace/contracts';
import { useQuery } from '@tanstack/react-query';
import { api } from './api.ts';
import { keys } from './keys.ts';

const GLANCED_MS = 30_000;

/** How many failures and refused deliveries ask for a person, for the sidebar. */
export const useInboxCount = (): number =>
  useQuery({
    queryKey: keys.inboxCount,
    queryFn: ({ signal }) => api(listInbox, { query: { limit: 1 } }, { signal }),
    select: ({ counts }) => counts.failed + counts.given_up + counts.refused,
    refetchInterval: GLANCED_MS,
  }).data ?? 0;
