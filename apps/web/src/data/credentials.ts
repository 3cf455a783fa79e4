import {
  createCredential,
  deleteCredential,
  endCredentialSignIn,
  listCredentialChoices,
  listCredentialModels,
  listCredentials,
  readModelFacts,
  readModelRouter,
  rotateCredentialKeys,
  startCredentialSignIn,
  testCredential,
  updateCredential,
} from '@millrace/contracts';
import {
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useRef } from 'react';
import { api } from './api.ts';
import { keys } from './keys.ts';

type Config = Record<string, unknown>;

export const credentialListQuery = queryOptions({
  queryKey: keys.credentials,
  queryFn: ({ signal }) => api(listCredentials, {}, { signal }),
});

export const useCredentials = () => useQuery(credentialListQuery);

const renew = (client: QueryClient) => client.invalidateQueries({ queryKey: keys.credentials });

export function useCreateCredential() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { name: string; type: string; config: Config }) => api(createCredential, { body }),
    onSuccess: () => renew(client),
  });
}

export function useUpdateCredential() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, ...body }: { id: string; name: string; config: Config }) =>
      api(updateCredential, { params: { id }, body }),
    onSuccess: () => renew(client),
  });
}

export function useDeleteCredential() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api(deleteCredential, { params: { id } }),
    onSuccess: () => renew(client),
  });
}

/** Resolves to the address at which a person signs in. */
export const beginSignIn = async (id: string, provider: string): Promise<string> =>
  (await api(startCredentialSignIn, { params: { provider }, body: { credential_id: id } })).auth_url;

export function useDisconnectCredential() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api(endCredentialSignIn, { params: { id } }),
    onSuccess: () => renew(client),
  });
}

/** Fetches the credentials again, after one was connected in another window. */
export function useRenewCredentials() {
  const client = useQueryClient();
  return () => renew(client);
}

export const useTestCredential = () =>
  useMutation({
    mutationFn: (body: { type: string; config: Config; credential_id?: string }) =>
      api(testCredential, { body }),
  });

/** Models that a credential gives access to; nothing is asked without one. */
export const useCredentialModels = (id: string | undefined) =>
  useQuery({
    queryKey: keys.credential(id, 'models'),
    queryFn: () => api(listCredentialModels, { params: { id: id ?? '' } }),
    enabled: id !== undefined,
  });

export interface ChoiceQuery {
  credential_id: string;
  node_type: string;
  list: string;
  params: Readonly<Record<string, string>>;
  search: string;
}

/**
 * The choices for a parameter of a node, page by page; fresh each time, for they change outside of this service. The
 * server keeps lists of models for a while; `refresh` makes it ask for a new one.
 */
export function useCredentialChoices({ credential_id, ...asked }: ChoiceQuery) {
  const isFresh = useRef(false);
  const found = useInfiniteQuery({
    queryKey: [...keys.credential(credential_id, 'choices'), asked],
    queryFn: ({ pageParam, signal }) =>
      api(
        listCredentialChoices,
        {
          params: { id: credential_id },
          body: { ...asked, cursor: pageParam, refresh: isFresh.current && pageParam === null },
        },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    // The list stays in place while the next search is on its way.
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 0,
    gcTime: 0,
  });
  const refresh = async () => {
    isFresh.current = true;
    await found.refetch();
    isFresh.current = false;
  };
  return [found, refresh] as const;
}

export const useModelRouter = (id: string | undefined) =>
  useQuery({
    queryKey: keys.credential(id, 'router'),
    queryFn: () => api(readModelRouter, { params: { id: id ?? '' } }),
    enabled: id !== undefined,
  });

export const useRotateKeys = () =>
  useMutation({ mutationFn: (_: undefined) => api(rotateCredentialKeys, {}) });

/** The known facts about a model, which change only with the configuration of the service. */
export const useModelFacts = (credential_id: string, model: string) =>
  useQuery({
    queryKey: [...keys.credential(credential_id, 'facts'), model],
    queryFn: ({ signal }) =>
      api(readModelFacts, { params: { id: credential_id }, query: { model } }, { signal }),
    enabled: credential_id !== '' && model !== '',
    staleTime: Number.POSITIVE_INFINITY,
  });
