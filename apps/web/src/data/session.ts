import {
  changePassword,
  endSession,
  listSessions,
  login,
  logout,
  me,
  readSignInPolicy,
  register,
  type User,
  updateMe,
} from '@millrace/contracts';
import { type QueryClient, queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { markAnonymous, markSignedIn } from '../session/session.ts';
import { ApiError, api } from './api.ts';
import { answersTo, callById, useChange, useEndpoint, useEndpointChange } from './endpoint.ts';

async function readMe(): Promise<User | null> {
  try {
    const user = await api(me, {});
    markSignedIn();
    return user;
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    markAnonymous();
    return null;
  }
}

/** The signed-in user, or null. Asked once; signing in and out keeps it true. */
export const meQuery = queryOptions({
  queryKey: answersTo(me),
  queryFn: readMe,
  staleTime: Number.POSITIVE_INFINITY,
});

export const useSignInPolicy = () => useEndpoint(readSignInPolicy);

/** The user on a page that needs one. Stays the same while a page is left after signing out. */
export function useMe(): User {
  const { data } = useQuery(meQuery);
  const last = useRef(data);
  if (data) last.current = data;
  if (!last.current) throw new Error('useMe is called on a page without a session');
  return last.current;
}

/** Takes over a new session. What another person's session has left in the cache goes. */
async function begin(client: QueryClient): Promise<void> {
  const user = await api(me, {});
  const before = client.getQueryData(meQuery.queryKey);
  if (before?.id !== user.id) client.clear();
  client.setQueryData(meQuery.queryKey, user);
  markSignedIn();
}

export async function signIn(client: QueryClient, body: { email: string; password: string }): Promise<void> {
  await api(login, { body });
  await begin(client);
}

export async function signUp(
  client: QueryClient,
  body: { name: string; email: string; password: string },
): Promise<void> {
  await api(register, { body });
  await begin(client);
}

export async function signOut(client: QueryClient): Promise<void> {
  await api(logout, { body: {} });
  markAnonymous();
  client.setQueryData(meQuery.queryKey, null);
}

export function useUpdateMe() {
  const client = useQueryClient();
  return useEndpointChange(updateMe, {
    onSuccess: (user) => client.setQueryData(meQuery.queryKey, user),
  });
}

export const useChangePassword = () => useEndpointChange(changePassword, { renews: [listSessions] });

export const useSessions = () => useEndpoint(listSessions);

export const useEndSession = () => useChange(callById(endSession), { renews: [listSessions] });
