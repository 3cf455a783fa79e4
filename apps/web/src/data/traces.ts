import {
  type CostGrouping,
  deleteTraces,
  listTraces,
  readTrace,
  readTraceCosts,
  type TimeRange,
  type TraceSource,
} from '@millrace/contracts';
import {
  infiniteQueryOptions,
  keepPreviousData,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { api } from './api.ts';
import { keys } from './keys.ts';

const PAGE = 100;

export interface TraceFilters {
  workflow_id?: string;
  credential_id?: string;
  run_id?: string;
  source?: TraceSource;
  status?: 'success' | 'error';
  search?: string;
  order?: 'asc' | 'desc';
}

/** Calls of models in the order of their time, page by page. */
export const traceListQuery = (filters: TraceFilters) =>
  infiniteQueryOptions({
    queryKey: [...keys.traces, 'list', filters],
    queryFn: ({ pageParam, signal }) =>
      api(listTraces, { query: { ...filters, offset: pageParam, limit: PAGE } }, { signal }),
    initialPageParam: 0,
    getNextPageParam: ({ offset, total, items }) =>
      items.length > 0 && offset + items.length < total ? offset + items.length : undefined,
  });

export const useTrace = (id: string) =>
  useQuery({
    queryKey: [...keys.traces, 'one', id],
    queryFn: ({ signal }) => api(readTrace, { params: { id } }, { signal }),
    // A call that has ended does not change.
    staleTime: Number.POSITIVE_INFINITY,
  });

interface CostsQuery {
  time_range: TimeRange;
  group_by: CostGrouping;
  workflow_id?: string;
  limit: number;
}

const REFRESH_MS = 30_000;

/** The cost of calls over time. */
export const useTraceCosts = (query: CostsQuery) =>
  useQuery({
    queryKey: [...keys.traces, 'costs', query],
    queryFn: ({ signal }) => api(readTraceCosts, { query }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

export function useDeleteTraces() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api(deleteTraces, {}),
    onSuccess: () => client.resetQueries({ queryKey: keys.traces }),
  });
}
