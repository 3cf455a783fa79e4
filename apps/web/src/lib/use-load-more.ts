import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { useCallback } from 'react';

/**
 * The function that a list calls when its end comes into view: loads the next page, once. After a failure it waits
 * until the list is refreshed, or a list whose end stays in view would ask without a pause.
 */
export function useLoadMore({
  hasNextPage,
  isFetchingNextPage,
  isError,
  fetchNextPage,
}: Pick<
  UseInfiniteQueryResult,
  'hasNextPage' | 'isFetchingNextPage' | 'isError' | 'fetchNextPage'
>): () => void {
  return useCallback(() => {
    if (hasNextPage && !isFetchingNextPage && !isError) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, isError, fetchNextPage]);
}
