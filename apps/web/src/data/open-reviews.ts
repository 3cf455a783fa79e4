import {
  decideOpenReview,
  listOpenReviews,
  type OwnReviewDecision,
  readOpenReview,
} from '@millrace/contracts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { api } from './api.ts';
import { endpointPages, useChange, useEndpoint } from './endpoint.ts';
import { RUNS } from './runs.ts';

const PAGE = 100;
const LIST_MS = 5_000;

export interface OpenReviewFilters {
  workflow_id?: string;
  search?: string;
}

/** Open reviews newest first, page by page, kept fresh while only the first page is loaded. */
export const useOpenReviews = (filters: OpenReviewFilters, { enabled = true } = {}) =>
  useInfiniteQuery({
    ...endpointPages(listOpenReviews, {
      first: undefined as string | undefined,
      ask: (before) => ({ query: { ...filters, before, limit: PAGE } }),
      next: (page) => page.next_before,
    }),
    enabled,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 1 ? LIST_MS : false),
  });

export const useOpenReview = (id: string) =>
  useEndpoint(
    readOpenReview,
    { params: { review_id: id } },
    // A review does not change under the hands of a person who reads and edits it; who comes back learns whether it is
    // still open.
    { staleTime: Infinity, gcTime: 0 },
  );

export const useDecideOpenReview = (id: string) =>
  useChange((body: OwnReviewDecision) => api(decideOpenReview, { params: { review_id: id }, body }), {
    // A person whose line is down learns it now, instead of looking at a spinner until it is back.
    networkMode: 'always',
    renewsEvenIfRefused: RUNS,
  });
