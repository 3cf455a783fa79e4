import {
  decideOpenReview,
  listOpenReviews,
  type OwnReviewDecision,
  readOpenReview,
} from '@millrace/contracts';
import { infiniteQueryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from './api.ts';
import { keys } from './keys.ts';

const PAGE = 100;
const LIST_MS = 5_000;

export interface OpenReviewFilters {
  workflow_id?: string;
  search?: string;
}

/** Open reviews newest first, page by page, kept fresh while only the first page is loaded. */
export const openReviewsQuery = (filters: OpenReviewFilters) =>
  infiniteQueryOptions({
    queryKey: [...keys.openReviews, filters],
    queryFn: ({ pageParam, signal }) => {
      const before = pageParam === null ? {} : { before: pageParam };
      return api(listOpenReviews, { query: { ...filters, ...before, limit: PAGE } }, { signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_before,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 1 ? LIST_MS : false),
  });

export const useOpenReview = (id: string) =>
  useQuery({
    queryKey: keys.openReview(id),
    queryFn: ({ signal }) => api(readOpenReview, { params: { review_id: id } }, { signal }),
    // A review does not change under the hands of a person who reads and edits it; who comes back learns whether it is
    // still open.
    staleTime: Infinity,
    gcTime: 0,
  });

export function useDecideOpenReview(id: string) {
  const client = useQueryClient();
  return useMutation({
    // A person whose line is down learns it now, instead of looking at a spinner until it is back.
    networkMode: 'always',
    mutationFn: (body: OwnReviewDecision) => api(decideOpenReview, { params: { review_id: id }, body }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.runs }),
  });
}
