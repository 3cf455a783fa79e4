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
import { type QueryClient, queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { markAnonymous, markSignedIn } from '../session/session.ts';
import { ApiError, api } from './api.ts';
import { keys } from './keys.ts';

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
  queryKey: keys.me,
  queryFn: readMe,
  staleTime: Number.POSITIVE_INFINITY,
});

export const policyQuery = queryOptions({
  queryKey: keys.policy,
  queryFn: () => api(readSignInPolicy, {}),
});

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
  const before = client.getQueryData<User | null>(keys.me);
  if (before?.id !== user.id) client.clear();
  client.setQueryData(keys.me, user);
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
  client.setQueryData(keys.me, null);
}

export function useUpdateMe() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { name?: string; user_rules?: string; daily_budget_usd?: number | null }) =>
      api(updateMe, { body }),
    onSuccess: (user) => client.setQueryData(keys.me, user),
  });
}

export function useChangePassword() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: { current_password: string; new_password: string }) => api(changePassword, { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.sessions }),
  });
}

export const useSessions = () => useQuery({ queryKey: keys.sessions, queryFn: () => api(listSessions, {}) });

export function useEndSession() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api(endSession, { params: { id } }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.sessions }),
  });
}
