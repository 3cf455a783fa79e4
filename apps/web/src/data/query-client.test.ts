import { type Query, type QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ApiError } from './api.ts';
import { createQueryClient, isOutdated } from './query-client.ts';

const KEY = ['list'];
let client: QueryClient;
let answer: () => Promise<string>;

/** Puts the query on screen; the result takes it off. */
function show(options: { enabled?: boolean } = {}) {
  const observer = new QueryObserver(client, {
    queryKey: KEY,
    queryFn: () => answer(),
    retry: false,
    ...options,
  });
  return { observer, leave: observer.subscribe(() => undefined) };
}

const query = () => client.getQueryCache().find({ queryKey: KEY }) as Query;
const refuse = (error: Error) => {
  answer = () => Promise.reject(error);
};

beforeEach(() => {
  client = createQueryClient();
  answer = async () => 'loaded';
});
afterEach(() => client.clear());

it.each([
  ['a server that breaks', new ApiError(503, 'unavailable')],
  ['a limit', new ApiError(429, 'too many')],
  ['a session that ended', new ApiError(401, 'signed out')],
  ['no connection', new TypeError('Failed to fetch')],
])('what was loaded stays through %s, and is outdated until it is refreshed', async (_name, error) => {
  const { observer } = show();
  await observer.refetch();
  expect(isOutdated(query())).toBe(false);

  refuse(error);
  const failed = await observer.refetch();
  expect(failed).toMatchObject({ data: 'loaded', error, isLoadingError: false });
  expect(isOutdated(query())).toBe(true);

  answer = async () => 'newer';
  await client.refetchQueries({ predicate: isOutdated });
  expect(observer.getCurrentResult()).toMatchObject({ data: 'newer', isSuccess: true });
  expect(isOutdated(query())).toBe(false);
});

it.each([
  ['was deleted', 404],
  ['is no longer shared', 403],
])('what %s leaves the screen', async (_name, status) => {
  const { observer } = show();
  await observer.refetch();
  refuse(new ApiError(status, 'gone'));
  await observer.refetch();
  expect(observer.getCurrentResult()).toMatchObject({ data: undefined, isLoadingError: true });
  expect(isOutdated(query())).toBe(false);
});

it('is an error when nothing was loaded before', async () => {
  refuse(new ApiError(503, 'unavailable'));
  const { observer } = show();
  expect(await observer.refetch()).toMatchObject({ data: undefined, isLoadingError: true });
  expect(isOutdated(query())).toBe(false);
});

it('leaves out what is not on screen', async () => {
  const { observer, leave } = show();
  await observer.refetch();
  refuse(new ApiError(503, 'unavailable'));
  await observer.refetch();
  leave();
  expect(isOutdated(query())).toBe(false);
  const { leave: leaveDisabled } = show({ enabled: false });
  expect(isOutdated(query())).toBe(false);
  leaveDisabled();
});
