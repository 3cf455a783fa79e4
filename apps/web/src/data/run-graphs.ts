import { getRunGraph } from '@millrace/contracts';
import { queryOptions } from '@tanstack/react-query';
import { api } from './api.ts';
import { keys } from './keys.ts';

/** The graph that a run was of, which never changes. */
export const runGraphQuery = (id: string) =>
  queryOptions({
    queryKey: keys.runGraph(id),
    queryFn: ({ signal }) => api(getRunGraph, { params: { entry_id: id } }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
