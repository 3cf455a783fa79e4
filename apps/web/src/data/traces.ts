import {
  type CostGrouping,
  deleteTraces,
  listTraces,
  readTrace,
  readTraceCosts,
  type TimeRange,
  type TraceSource,
} from '@millrace/contracts';
import { keepPreviousData, useQueryClient } from '@tanstack/react-query';
import { api } from './api.ts';
import { answersTo, endpointPages, useChange, useEndpoint } from './endpoint.ts';

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
  endpointPages(listTraces, {
    first: 0,
    ask: (offset) => ({ query: { ...filters, offset, limit: PAGE } }),
    next: ({ offset, total, items }) =>
      items.length > 0 && offset + items.length < total ? offset + items.length : undefined,
  });

export const useTrace = (id: string) =>
  // A call that has ended does not change.
  useEndpoint(readTrace, { params: { id } }, { staleTime: Number.POSITIVE_INFINITY });

interface CostsQuery {
  time_range: TimeRange;
  group_by: CostGrouping;
  workflow_id?: string;
  limit: number;
}

const REFRESH_MS = 30_000;

/** The cost of calls over time. */
export const useTraceCosts = (query: CostsQuery) =>
  useEndpoint(readTraceCosts, { query }, { placeholderData: keepPreviousData, refetchInterval: REFRESH_MS });

export function useDeleteTraces() {
  const client = useQueryClient();
  return useChange(() => api(deleteTraces, {}), {
    onSuccess: () =>
      Promise.all(
        [listTraces, readTrace, readTraceCosts].map((endpoint) =>
          client.resetQueries({ queryKey: answersTo(endpoint) }),
        ),
      ),
  });
}
