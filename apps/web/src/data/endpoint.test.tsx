import { createTeam, deleteTeam, listTeams, readTeam } from '@millrace/contracts';
import { QueryClientProvider, useInfiniteQuery } from '@tanstack/react-query';
import { act, cleanup, renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  answersTo,
  endpointPages,
  endpointQuery,
  renew,
  useEndpoint,
  useEndpointChange,
} from './endpoint.ts';
import { createQueryClient } from './query-client.ts';

const ONE = '4b0b8f0e-6a3e-4c6e-9a5d-1f2e3d4c5b6a';
const OTHER = '4b0b8f0e-6a3e-4c6e-9a5d-1f2e3d4c5b6b';

const client = createQueryClient();
const wrapper = ({ children }: { children: ReactNode }) => (
  <QueryClientProvider client={client}>{children}</QueryClientProvider>
);
/** Calls that have arrived, as `GET /api/teams`. */
let calls: string[];
let refusing: string | undefined;

beforeEach(() => {
  calls = [];
  refusing = undefined;
  vi.stubGlobal('fetch', async (address: string, { method }: { method: string }) => {
    calls.push(`${method} ${address}`);
    if (method === refusing) return Response.json({ detail: 'Not yours' }, { status: 403 });
    return Response.json(address === '/api/teams' ? [{ id: ONE }] : { id: address.slice(-ONE.length) });
  });
});
afterEach(() => {
  cleanup();
  client.clear();
  vi.unstubAllGlobals();
});

const isStale = (query: { queryKey: readonly unknown[] }) =>
  client.getQueryState(query.queryKey)?.isInvalidated;

it('gives the answer of an endpoint and keeps it under what was sent', async () => {
  const { result } = renderHook(() => useEndpoint(readTeam, { params: { id: ONE } }), { wrapper });
  await waitFor(() => expect(result.current.data?.id).toBe(ONE));
  expect(calls).toEqual([`GET /api/teams/${ONE}`]);
  expect(client.getQueryData(endpointQuery(readTeam, { params: { id: ONE } }).queryKey)?.id).toBe(ONE);
  expect(client.getQueryData(endpointQuery(readTeam, { params: { id: OTHER } }).queryKey)).toBeUndefined();
});

it('asks again for another edition, and not at all while it is not enabled', async () => {
  const sent = { params: { id: ONE } };
  const { result, rerender } = renderHook(
    (more: { edition: number; enabled: boolean }) =>
      useEndpoint(readTeam, sent, { ...more, select: ({ id }) => id.length }),
    { wrapper, initialProps: { edition: 1, enabled: false } },
  );
  expect(result.current.fetchStatus).toBe('idle');
  for (const edition of [1, 2, 2]) {
    rerender({ edition, enabled: true });
    await waitFor(() => expect(result.current.data).toBe(ONE.length));
  }
  expect(calls).toHaveLength(2);
});

it('names all answers of an endpoint, or those to what was sent', async () => {
  const [one, other] = [ONE, OTHER].map((id) => endpointQuery(readTeam, { params: { id } }));
  const list = endpointQuery(listTeams);
  for (const query of [one, other]) if (query) await client.fetchQuery(query);
  await client.fetchQuery(list);

  await renew(client, [answersTo(readTeam, { params: { id: ONE } })]);
  expect([one, other, list].map((query) => query && isStale(query))).toEqual([true, false, false]);
  await renew(client, [readTeam]);
  expect([one, other, list].map((query) => query && isStale(query))).toEqual([true, true, false]);
});

it('is under way until what the change renews is there', async () => {
  const { result } = renderHook(
    () => ({
      list: useEndpoint(listTeams),
      create: useEndpointChange(createTeam, { renews: [listTeams] }),
    }),
    { wrapper },
  );
  await waitFor(() => expect(result.current.list.isSuccess).toBe(true));
  await act(() => result.current.create.mutateAsync({ body: { name: 'Sales', description: '' } }));
  expect(calls).toEqual(['GET /api/teams', 'POST /api/teams', 'GET /api/teams']);
});

it.each([
  ['leaves the rest as it is', 'renews', 2],
  ['asks again when it may have been made in part', 'renewsEvenIfRefused', 3],
] as const)('a refused change says why and %s', async (_, option, count) => {
  refusing = 'DELETE';
  const { result } = renderHook(
    () => ({
      list: useEndpoint(listTeams),
      remove: useEndpointChange(deleteTeam, { [option]: [listTeams] }),
    }),
    { wrapper },
  );
  await waitFor(() => expect(result.current.list.isSuccess).toBe(true));
  await act(async () => {
    const made = result.current.remove.mutateAsync({ params: { id: ONE } });
    await expect(made).rejects.toMatchObject({ status: 403, message: 'Not yours' });
  });
  expect(calls).toHaveLength(count);
});

it('asks for page after page from where the one before ends', async () => {
  const pages = endpointPages(listTeams, {
    first: 0,
    ask: (offset) => ({ query: { offset } as never }),
    next: (_, { length }) => (length < 2 ? length : null),
  });
  const { result } = renderHook(() => useInfiniteQuery(pages), { wrapper });
  await waitFor(() => expect(result.current.hasNextPage).toBe(true));
  await act(() => result.current.fetchNextPage());
  expect(calls).toEqual(['GET /api/teams?offset=0', 'GET /api/teams?offset=1']);
  await waitFor(() => expect(result.current.hasNextPage).toBe(false));
  await renew(client, [answersTo(listTeams)]);
  expect(calls).toHaveLength(4);
});

it('knows the types of what is sent and answered', () => {
  // @ts-expect-error a team is read by its id
  endpointQuery(readTeam);
  // @ts-expect-error a team has no such parameter
  endpointQuery(readTeam, { params: { name: 'Sales' } });
  const key = endpointQuery(listTeams).queryKey;
  // @ts-expect-error the answer is a list, not text
  expect(client.setQueryData(key, 'teams')).toBe('teams');
});
