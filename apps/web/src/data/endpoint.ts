import type { AnyEndpoint, ResponseOf, Sent } from '@millrace/contracts';
import {
  infiniteQueryOptions,
  type QueryClient,
  type QueryKey,
  queryOptions,
  type UseMutationOptions,
  type UseMutationResult,
  type UseQueryOptions,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { api } from './api.ts';

type Nothing = Record<never, never>;

/** Nothing has to be sent to an endpoint that needs neither parameters nor a body. */
type Asked<E extends AnyEndpoint, More> =
  Nothing extends Sent<E> ? [sent?: Sent<E>, more?: More] : [sent: Sent<E>, more?: More];

type SomeOf<T> = { readonly [Part in keyof T]?: Partial<T[Part]> };

/**
 * Key of an endpoint's cached answers: of all calls, or only of those that sent the given values.
 * Every key of an answer begins like this.
 */
export const answersTo = <E extends AnyEndpoint>(endpoint: E, sent: SomeOf<Sent<E>> = {}): QueryKey => [
  endpoint.id,
  sent,
];

interface QueryMore {
  /** Tells answers of the same call apart, such as those before and after a change. It is only part of the key, not of the request. */
  edition?: unknown;
}

/** The query whose answer is that of an endpoint; its key is derived from the endpoint and what is sent. */
export function endpointQuery<E extends AnyEndpoint>(
  endpoint: E,
  ...[sent = {} as Sent<E>, { edition } = {}]: Asked<E, QueryMore>
) {
  const key: QueryKey = [endpoint.id, sent];
  return queryOptions({
    queryKey: edition === undefined ? key : [...key, edition],
    queryFn: ({ signal }): Promise<ResponseOf<E>> => api(endpoint, sent, { signal }),
  });
}

type Options<E extends AnyEndpoint, Shown> = QueryMore &
  Omit<UseQueryOptions<ResponseOf<E>, Error, Shown>, 'queryKey' | 'queryFn'>;

/** The answer of an endpoint: `useEndpoint(readTeam, { params: { id } })`. */
export function useEndpoint<E extends AnyEndpoint, Shown = ResponseOf<E>>(
  endpoint: E,
  ...[sent = {} as Sent<E>, { edition, ...options } = {}]: Asked<E, Options<E, Shown>>
): UseQueryResult<Shown> {
  const query = endpointQuery<AnyEndpoint>(endpoint, sent, { edition });
  return useQuery({ ...query, ...options } as UseQueryOptions<ResponseOf<E>, Error, Shown>);
}

interface Paging<E extends AnyEndpoint, Position> {
  /** The position of the first page. */
  first: Position;
  /** The call for the page at a position. */
  ask: (position: Position) => Sent<E>;
  /** The position after a page, where there is one. */
  next: (page: ResponseOf<E>, pages: readonly ResponseOf<E>[]) => NoInfer<Position> | null | undefined;
}

/** The answer of an endpoint page by page, for `useInfiniteQuery`. */
export const endpointPages = <E extends AnyEndpoint, Position>(
  endpoint: E,
  { first, ask, next }: Paging<E, Position>,
) =>
  infiniteQueryOptions({
    queryKey: [endpoint.id, ask(first), 'pages'],
    queryFn: ({ pageParam, signal }): Promise<ResponseOf<E>> =>
      api(endpoint, ask(pageParam as Position), { signal }),
    initialPageParam: first,
    getNextPageParam: next,
  });

/** Answers that a change makes stale: all those of an endpoint, or those that a key names. */
export type Renewed = AnyEndpoint | QueryKey;

/** Asks again for what is on screen, and for the rest when it is shown next. */
export const renew = (client: QueryClient, renewed: readonly Renewed[]): Promise<unknown> =>
  Promise.all(renewed.map((one) => client.invalidateQueries({ queryKey: 'id' in one ? [one.id] : one })));

interface ChangeOptions<Input, Answer, Before>
  extends Omit<UseMutationOptions<Answer, Error, Input, Before>, 'mutationFn' | 'onSettled'> {
  /** Fetched again after the change, which stays pending until they have arrived. */
  renews?: readonly Renewed[];
  /** Also fetched again when the change is refused: part of it may have been applied, or the data was newer. */
  renewsEvenIfRefused?: readonly Renewed[];
}

/** A change made by any calls; use `useEndpointChange` for a single one. */
export function useChange<Input = void, Answer = unknown, Before = unknown>(
  send: (input: Input) => Promise<Answer>,
  { renews = [], renewsEvenIfRefused = [], onSuccess, ...options }: ChangeOptions<Input, Answer, Before> = {},
): UseMutationResult<Answer, Error, Input, Before> {
  const client = useQueryClient();
  return useMutation({
    ...options,
    mutationFn: send,
    onSuccess: async (...made) => {
      await onSuccess?.(...made);
      await renew(client, renews);
    },
    onSettled: () => renew(client, renewsEvenIfRefused),
  });
}

/** A change that is one call of an endpoint, with all that it takes: `mutate({ params: { id }, body })`. */
export const useEndpointChange = <E extends AnyEndpoint, Before = unknown>(
  endpoint: E,
  options?: ChangeOptions<Sent<E>, ResponseOf<E>, Before>,
) => useChange((sent: Sent<E>) => api(endpoint, sent), options);

/** The call of an endpoint that takes an id and no more, for `useChange`. */
export const callById =
  <E extends AnyEndpoint>(endpoint: { params: { id: string } } extends Sent<E> ? E : never) =>
  (id: string): Promise<ResponseOf<E>> =>
    api<E>(endpoint, { params: { id } } as Sent<E>);
