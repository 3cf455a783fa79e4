import {
  createVectorStore,
  deleteVectorStore,
  listVectorStores,
  updateVectorStore,
} from '@millrace/contracts';
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from './api.ts';
import { keys } from './keys.ts';

export const useVectorStores = () =>
  useQuery({ queryKey: keys.vectorStores, queryFn: ({ signal }) => api(listVectorStores, {}, { signal }) });

const renew = (client: QueryClient) => client.invalidateQueries({ queryKey: keys.vectorStores });

interface NewStore {
  name: string;
  description: string;
  credential_id: string;
  /** Absent: the service names the collection. */
  collection_name?: string;
}

export function useCreateVectorStore() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: NewStore) => api(createVectorStore, { body }),
    onSuccess: () => renew(client),
  });
}

export function useUpdateVectorStore() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }: { id: string; name: string; description: string }) =>
      api(updateVectorStore, { params: { id }, body }),
    onSuccess: () => renew(client),
  });
}

export function useDeleteVectorStore() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api(deleteVectorStore, { params: { id } }),
    onSuccess: () => renew(client),
  });
}
