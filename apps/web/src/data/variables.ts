import {
  bulkDeleteGlobalVariables,
  createGlobalVariable,
  type GlobalVariableType,
  listGlobalVariables,
  updateGlobalVariable,
} from '@millrace/contracts';
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from './api.ts';
import { keys } from './keys.ts';

export const useVariables = () =>
  useQuery({ queryKey: keys.variables, queryFn: ({ signal }) => api(listGlobalVariables, {}, { signal }) });

const renew = (client: QueryClient) => client.invalidateQueries({ queryKey: keys.variables });

interface VariableValues {
  name: string;
  value_type: GlobalVariableType;
  value: unknown;
}

export function useCreateVariable() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: VariableValues) => api(createGlobalVariable, { body }),
    onSuccess: () => renew(client),
  });
}

export function useUpdateVariable() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }: Partial<VariableValues> & { id: string; base_revision: number }) =>
      api(updateGlobalVariable, { params: { id }, body }),
    onSettled: () => renew(client),
  });
}

export function useDeleteVariables() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (ids: string[]) => api(bulkDeleteGlobalVariables, { body: { ids } }),
    onSuccess: () => renew(client),
  });
}
