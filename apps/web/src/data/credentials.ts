import {
  createCredential,
  deleteCredential,
  endCredentialSignIn,
  finishCredentialSignInAt,
  listCredentialChoices,
  listCredentialModels,
  listCredentials,
  listCredentialUses,
  listModelCredentials,
  readModelFacts,
  readModelRouter,
  rotateCredentialKeys,
  startCredentialSignIn,
  testCredential,
  updateCredential,
} from '@millrace/contracts';
import { keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { api } from './api.ts';
import { answersTo, callById, renew, useChange, useEndpoint, useEndpointChange } from './endpoint.ts';

/** Everything that is read of credentials. */
export const CREDENTIALS = [
  listCredentials,
  listModelCredentials,
  listCredentialModels,
  listCredentialChoices,
  listCredentialUses,
  readModelRouter,
  readModelFacts,
];
const changed = { renews: CREDENTIALS };

export const useCredentials = () => useEndpoint(listCredentials);

/** Credentials that an assistant can use, routers included. */
export const useModelCredentials = () => useEndpoint(listModelCredentials);

/** Where a credential is used. Finding it out costs the server some work, and workflows change apart from it. */
export const useCredentialUses = (id: string) =>
  useEndpoint(
    listCredentialUses,
    { params: { id } },
    { staleTime: 30_000, refetchOnWindowFocus: false, retry: false },
  );

export const useCreateCredential = () => useEndpointChange(createCredential, changed);

export const useUpdateCredential = () => useEndpointChange(updateCredential, changed);

export const useDeleteCredential = () => useChange(callById(deleteCredential), changed);

export const beginSignIn = (id: string, provider: string) =>
  api(startCredentialSignIn, { params: { provider }, body: { credential_id: id } });

/** Ends a sign-in whose window did not come back here, with the address that it shows. */
export const useFinishSignIn = () => useEndpointChange(finishCredentialSignInAt, changed);

export const useDisconnectCredential = () => useChange(callById(endCredentialSignIn), changed);

/** Fetches the credentials again, after one was connected in another window. */
export function useRenewCredentials() {
  const client = useQueryClient();
  return () => renew(client, CREDENTIALS);
}

export const useTestCredential = () => useEndpointChange(testCredential);

/** Models that a credential gives access to; nothing is asked without one. */
export const useCredentialModels = (id: string | undefined) =>
  useEndpoint(listCredentialModels, { params: { id: id ?? '' } }, { enabled: id !== undefined });

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
    queryKey: [...answersTo(listCredentialChoices, { params: { id: credential_id } }), asked],
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
  useEndpoint(readModelRouter, { params: { id: id ?? '' } }, { enabled: id !== undefined });

export const useRotateKeys = () => useEndpointChange(rotateCredentialKeys);

/** The known facts about a model, which change only with the configuration of the service. */
export const useModelFacts = (credential_id: string, model: string) =>
  useEndpoint(
    readModelFacts,
    { params: { id: credential_id }, query: { model } },
    { enabled: credential_id !== '' && model !== '', staleTime: Number.POSITIVE_INFINITY },
  );
