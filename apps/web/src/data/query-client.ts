import { type Query, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './api.ts';
import { isNotFound } from './refusal.ts';

const STALE_AFTER_MS = 5_000;
const MAX_RETRIES = 2;

/**
 * A request that the server refused will be refused again; only one that did not reach it, or broke there, is tried
 * once more.
 */
function isWorthRetrying(failures: number, error: Error): boolean {
  if (failures >= MAX_RETRIES) return false;
  return !(error instanceof ApiError) || error.status >= 500;
}

const mayNotBeSeen = (error: Error): boolean =>
  isNotFound(error) || (error instanceof ApiError && error.status === 403);

/** Data on screen stays there when it cannot be refreshed, except what was deleted or is no longer shared. */
const cache = () =>
  new QueryCache({
    onError: (error, query) => {
      if (mayNotBeSeen(error)) query.setState({ data: undefined });
    },
  });

export function createQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: cache(),
    defaultOptions: {
      queries: { staleTime: STALE_AFTER_MS, retry: isWorthRetrying },
      mutations: { retry: false },
    },
  });
}

/** On screen, and older than it should be: the last attempt to refresh it failed. */
export const isOutdated = (query: Query): boolean =>
  query.isActive() && query.state.status === 'error' && query.state.data !== undefined;
