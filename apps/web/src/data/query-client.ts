import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api.ts';

const STALE_AFTER_MS = 5_000;
const MAX_RETRIES = 2;

/** What the server refused will be refused again; only what did not reach it, or broke there, is tried once more. */
function isWorthRetrying(failures: number, error: Error): boolean {
  if (failures >= MAX_RETRIES) return false;
  return !(error instanceof ApiError) || error.status >= 500;
}

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { staleTime: STALE_AFTER_MS, retry: isWorthRetrying },
      mutations: { retry: false },
    },
  });
}
