import { listActiveExecutions } from '@millrace/contracts';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { api } from './api.ts';
import { keys } from './keys.ts';

const WATCHED_MS = 3_000;
const GLANCED_MS = 10_000;

const activeRunsQuery = queryOptions({
  queryKey: keys.activeRuns,
  queryFn: ({ signal }) => api(listActiveExecutions, {}, { signal }),
});

/** Runs that have not ended, kept fresh while they are on screen. */
export const useActiveRuns = () => useQuery({ ...activeRunsQuery, refetchInterval: WATCHED_MS });

/** How many runs have not ended, for the sidebar. */
export const useActiveRunCount = (): number =>
  useQuery({ ...activeRunsQuery, select: (runs) => runs.length, refetchInterval: GLANCED_MS }).data ?? 0;
