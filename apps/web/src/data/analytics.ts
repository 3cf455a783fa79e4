import { getMetrics, getStats, listWorkflowStats, type TimeRange } from '@millrace/contracts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from './api.ts';
import { keys } from './keys.ts';

/** A span back from now, or two instants in place of it. */
export type AnalyticsRange = { time_range: TimeRange } | { start_at: string; end_at: string };

export interface AnalyticsFilter {
  readonly range: AnalyticsRange;
  readonly workflow_id: string | undefined;
}

const toQuery = ({ range, workflow_id }: AnalyticsFilter) => ({
  ...range,
  ...(workflow_id ? { workflow_id } : {}),
});

const REFRESH_MS = 30_000;

export const useRunStats = (filter: AnalyticsFilter) =>
  useQuery({
    queryKey: [...keys.analytics, 'stats', filter],
    queryFn: ({ signal }) => api(getStats, { query: toQuery(filter) }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

export const useRunMetrics = (filter: AnalyticsFilter) =>
  useQuery({
    queryKey: [...keys.analytics, 'metrics', filter],
    queryFn: ({ signal }) => api(getMetrics, { query: toQuery(filter) }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });

export const useWorkflowStats = (range: AnalyticsRange, sort: 'executions' | 'errors') =>
  useQuery({
    queryKey: [...keys.analytics, 'workflows', range, sort],
    queryFn: ({ signal }) => api(listWorkflowStats, { query: { ...range, sort } }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  });
