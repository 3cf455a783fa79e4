import { readCostEstimate } from '@millrace/contracts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from './api.ts';
import { keys } from './keys.ts';

/** What a run of the workflow will probably cost at most. Asked for again after each run and each saved change. */
export const useCostEstimate = (id: string) =>
  useQuery({
    queryKey: keys.costEstimate(id),
    queryFn: ({ signal }) => api(readCostEstimate, { params: { id } }, { signal }),
    placeholderData: keepPreviousData,
  });
