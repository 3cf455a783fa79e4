import { getMetrics, getStats, listWorkflowStats, type TimeRange } from '@millrace/contracts';
import { keepPreviousData } from '@tanstack/react-query';
import { useEndpoint } from './endpoint.ts';

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

const SHOWN = { placeholderData: keepPreviousData, refetchInterval: 30_000 };

export const useRunStats = (filter: AnalyticsFilter) =>
  useEndpoint(getStats, { query: toQuery(filter) }, SHOWN);

export const useRunMetrics = (filter: AnalyticsFilter) =>
  useEndpoint(getMetrics, { query: toQuery(filter) }, SHOWN);

export const useWorkflowStats = (range: AnalyticsRange, sort: 'executions' | 'errors') =>
  useEndpoint(listWorkflowStats, { query: { ...range, sort } }, SHOWN);
