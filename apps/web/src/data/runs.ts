import {
  cancelExecution,
  deleteAllHistory,
  deleteHistory,
  getAnyHistoryEntry,
  type HistoryEntry,
  listAllHistory,
  type RunStatus,
  replayExecution,
  streamWorkflow,
} from '@millrace/contracts';
import { addressOf } from '@millrace/contracts/client';
import {
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { api, sessionFetch } from './api.ts';
import { keys } from './keys.ts';
import { refusal } from './refusal.ts';

const PAGE = 100;
const LIST_MS = 4_000;
/** Pages after this one show the past, which does not change. */
const LIVE_PAGES = 3;
const ENTRY_MS = 1_000;
/** A browser opens six connections to a host; the rest would keep the page's own requests waiting. */
export const AT_ONCE = 4;

export interface RunFilters {
  status?: RunStatus;
  trigger_source?: string;
  workflow_id?: string;
  search?: string;
  from?: string;
  to?: string;
}

const OPEN: readonly RunStatus[] = ['running', 'queued', 'pending'];

/** Whether a run is running or waiting, and so can be stopped. */
export const isOpen = (status: RunStatus): boolean => OPEN.includes(status);

/**
 * Runs newest first, page by page, kept fresh.
 *
 * @param span only runs that started within so many milliseconds before the request
 */
export const runListQuery = (filters: RunFilters, span: { ms: number } | undefined) =>
  infiniteQueryOptions({
    queryKey: [...keys.runList, filters, span],
    queryFn: ({ pageParam, signal }) => {
      const since = span ? { from: new Date(Date.now() - span.ms).toISOString() } : {};
      const before = pageParam === null ? {} : { before: pageParam };
      return api(listAllHistory, { query: { ...filters, ...since, ...before, limit: PAGE } }, { signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_before,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= LIVE_PAGES ? LIST_MS : false),
  });

export const runQuery = (id: string) =>
  queryOptions({
    queryKey: keys.run(id),
    queryFn: ({ signal }) => api(getAnyHistoryEntry, { params: { entry_id: id } }, { signal }),
  });

/** One run with its node results, followed until it has ended. */
export const useRun = (id: string) =>
  useQuery({
    ...runQuery(id),
    refetchInterval: ({ state }) => (state.data && isOpen(state.data.status) ? ENTRY_MS : false),
  });

const renewRuns = (client: QueryClient) => client.invalidateQueries({ queryKey: keys.runs });

interface RunAddress {
  id: string;
  workflow_id: string;
}

const cancelRun = ({ id, workflow_id }: RunAddress) =>
  api(cancelExecution, { params: { id: workflow_id, execution_id: id } });

export function useCancelRun() {
  const client = useQueryClient();
  return useMutation({ mutationFn: cancelRun, onSettled: () => renewRuns(client) });
}

export function useCancelRuns() {
  const client = useQueryClient();
  return useMutation({
    /** A run that has ended by itself in the meantime does not count. */
    mutationFn: async (runs: readonly RunAddress[]) => {
      let stopped = 0;
      for (let at = 0; at < runs.length; at += AT_ONCE) {
        const answers = await Promise.allSettled(runs.slice(at, at + AT_ONCE).map(cancelRun));
        stopped += answers.filter((answer) => answer.status === 'fulfilled').length;
      }
      return { stopped };
    },
    onSettled: () => renewRuns(client),
  });
}

/** Deletes the finished runs of one workflow, or of all of them. */
export function useDeleteRuns() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (workflow_id: string | undefined) =>
      workflow_id ? api(deleteHistory, { params: { id: workflow_id } }) : api(deleteAllHistory, {}),
    onSettled: () => renewRuns(client),
  });
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What a recorded run was called with: the body of a call, or all of what another trigger gave it. */
export const bodyOfRun = (inputs: unknown): unknown =>
  isRecord(inputs) && 'body' in inputs ? inputs['body'] : (inputs ?? undefined);

function queryOfRun(inputs: unknown): Record<string, string> {
  const query = isRecord(inputs) && isRecord(inputs['query']) ? inputs['query'] : {};
  const texts = Object.entries(query).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && entry[0] !== 'trigger_source',
  );
  return Object.fromEntries(texts);
}

/** Continues a failed run where it failed, on the version it was of. Gives the new run's id. */
export async function runFromFailure({ id, workflow_id }: HistoryEntry): Promise<string> {
  if (!workflow_id) throw new Error('The workflow of this run is gone.');
  const params = { id: workflow_id, execution_id: id };
  const body = { from: 'failed', trigger_source: 'Canvas' } as const;
  return (await api(replayExecution, { params, body })).execution_id;
}

/** Only an object may be wrapped (§4.1); wrapping keeps a body that has an `inputs` of its own as it is. */
export function bodyText(body: unknown): string {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  return JSON.stringify(isObject ? { inputs: body } : body === undefined ? {} : body);
}

/**
 * Runs a workflow again, or its draft where that had run, with the query and body of a recorded run, past the response cache, and leaves it running. Gives the
 * new run's id.
 */
export async function runAgain({ workflow_id, inputs, is_draft }: HistoryEntry): Promise<string> {
  if (!workflow_id) throw new Error('The workflow of this run is gone.');
  const address = addressOf(streamWorkflow, { params: { workflow_id }, query: queryOfRun(inputs) });
  const response = await sessionFetch(address, {
    method: streamWorkflow.method,
    headers: {
      'content-type': 'application/json',
      'x-trigger-source': 'Canvas',
      ...(is_draft ? { 'x-run-draft': 'true' } : {}),
      'cache-control': 'no-cache',
    },
    body: bodyText(bodyOfRun(inputs)),
  });
  if (!response.ok) throw await refusal(response);
  const id = response.headers.get('x-execution-id');
  await response.body?.cancel();
  if (!id) throw new Error('The server did not say which run it started.');
  return id;
}
