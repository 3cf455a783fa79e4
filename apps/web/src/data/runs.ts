import {
  cancelExecution,
  deleteAllHistory,
  deleteHistoryEntry,
  getAnyHistoryEntry,
  getMetrics,
  getRunGraph,
  getStats,
  type HistoryEntry,
  listActiveExecutions,
  listAllHistory,
  listInbox,
  listOpenReviews,
  listReplayJobs,
  listWorkflowStats,
  type RunStatus,
  readBudgetUse,
  readCostEstimate,
  readOwnBudgetUse,
  replayExecution,
  type Sent,
} from '@millrace/contracts';
import type { Json } from '@millrace/engine';
import { isJsonObject } from '@millrace/engine/json';
import { infiniteQueryOptions, keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from './api.ts';
import { changeEach } from './change-each.ts';
import { answersTo, endpointQuery, type Renewed, useChange, useEndpoint } from './endpoint.ts';

const PAGE = 100;
const LIST_MS = 4_000;
/** Pages after this one show the past, which does not change. */
const LIVE_PAGES = 3;
const ENTRY_MS = 1_000;
export interface RunFilters {
  status?: RunStatus;
  trigger_source?: string;
  workflow_id?: string;
  search?: string;
  from?: string;
  to?: string;
}

/** All that changes with runs. The graph of a run never does, and a review must not change while it is being decided. */
export const RUNS: readonly Renewed[] = [
  listAllHistory,
  getAnyHistoryEntry,
  listActiveExecutions,
  listInbox,
  listOpenReviews,
  listReplayJobs,
  getStats,
  getMetrics,
  listWorkflowStats,
  readCostEstimate,
  readBudgetUse,
  readOwnBudgetUse,
];

const OPEN: readonly RunStatus[] = ['running', 'queued', 'pending'];

/** Whether a run is running or waiting, and so can be stopped. */
export const isOpen = (status: RunStatus): boolean => OPEN.includes(status);

const countBack = (span: { ms: number } | undefined): { from?: string } =>
  span ? { from: new Date(Date.now() - span.ms).toISOString() } : {};

/**
 * Runs newest first, page by page, kept fresh.
 *
 * @param span only runs that started within so many milliseconds before the request
 */
export const runListQuery = (filters: RunFilters, span: { ms: number } | undefined) =>
  infiniteQueryOptions({
    queryKey: [...answersTo(listAllHistory, { query: filters }), 'pages', span],
    queryFn: ({ pageParam, signal }) => {
      const before = pageParam === null ? {} : { before: pageParam };
      const query = { ...filters, ...countBack(span), ...before, limit: PAGE };
      return api(listAllHistory, { query }, { signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_before,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= LIVE_PAGES ? LIST_MS : false),
  });

export const runQuery = (id: string) => endpointQuery(getAnyHistoryEntry, { params: { entry_id: id } });

/** The graph that a run was of, which never changes. */
export const useRunGraph = (id: string | undefined) =>
  useEndpoint(
    getRunGraph,
    { params: { entry_id: id ?? '' } },
    { enabled: id !== undefined, staleTime: Number.POSITIVE_INFINITY },
  );

/** One run with its node results, followed until it has ended. */
export const useRun = (id: string) =>
  useQuery({
    ...runQuery(id),
    refetchInterval: ({ state }) => (state.data && isOpen(state.data.status) ? ENTRY_MS : false),
  });

const EVENTS = 20;

/** The newest runs of a workflow that one of its trigger nodes started. */
export const useStartedBy = (workflow_id: string, trigger_node_id: string) =>
  useEndpoint(
    listAllHistory,
    { query: { workflow_id, trigger_node_id, limit: EVENTS } },
    { select: ({ items }) => items },
  );

const REPLAYS = 20;

/** The newest replays of a run. */
export const useReplays = (id: string, wanted: boolean) =>
  useEndpoint(
    listAllHistory,
    { query: { replay_of: id, limit: REPLAYS } },
    {
      enabled: wanted,
      select: ({ items }) => items,
      refetchInterval: ({ state }) =>
        state.data?.items.some(({ status }) => isOpen(status)) === true ? ENTRY_MS : false,
    },
  );

const CALLED = 20;

/** The nodes that can call other workflows. */
const CALLERS: ReadonlySet<string> = new Set(['execute', 'agent']);

/** True also where the page does not know the graph of the run: it is not asked for only because of this. */
function useMayCall(id: string): boolean {
  const graph = useEndpoint(getRunGraph, { params: { entry_id: id } }, { enabled: false }).data;
  return graph?.nodes.some(({ type }) => CALLERS.has(type)) ?? true;
}

/**
 * The newest runs that a run called as sub-workflows; refreshed while it or one of them is running, and when it has ended.
 * Belongs in a component of one run.
 */
export const useCalledRuns = ({ id, status }: Pick<HistoryEntry, 'id' | 'status'>) =>
  useEndpoint(
    listAllHistory,
    { query: { called_by: id, limit: CALLED } },
    {
      enabled: useMayCall(id),
      edition: isOpen(status) ? 'open' : 'ended',
      placeholderData: keepPreviousData,
      refetchInterval: ({ state }) =>
        isOpen(status) || state.data?.items.some((called) => isOpen(called.status)) === true
          ? ENTRY_MS
          : false,
    },
  );

const changed = { renewsEvenIfRefused: RUNS };

interface RunAddress {
  id: string;
  workflow_id: string;
}

const cancelRun = ({ id, workflow_id }: RunAddress) =>
  api(cancelExecution, { params: { id: workflow_id, execution_id: id } });

export const useCancelRun = () => useChange(cancelRun, changed);

/** Gives how many were done; a run that has changed or gone in the meantime does not count. */
const countDone = async (
  runs: readonly RunAddress[],
  change: (run: RunAddress) => Promise<unknown>,
): Promise<number> => (await changeEach(runs, change)).done.length;

export const useCancelRuns = () =>
  useChange(async (runs: readonly RunAddress[]) => ({ stopped: await countDone(runs, cancelRun) }), changed);

const deleteRun = ({ id, workflow_id }: RunAddress) =>
  api(deleteHistoryEntry, { params: { id: workflow_id, entry_id: id } });

export const useDeleteChosenRuns = () =>
  useChange((runs: readonly RunAddress[]) => countDone(runs, deleteRun), changed);

/** Deletes the finished runs that a list shows with the same filters, also those on its later pages. */
export const useDeleteRuns = () =>
  useChange(
    ({ filters, span }: { filters: RunFilters; span: { ms: number } | undefined }) =>
      api(deleteAllHistory, { query: { ...filters, ...countBack(span) } }),
    changed,
  );

/** The input that a recorded run was called with: the body of a call, or all of what another trigger gave it. */
export const bodyOfRun = (inputs: unknown): unknown =>
  isJsonObject(inputs) && 'body' in inputs ? inputs['body'] : (inputs ?? undefined);

type ReplayBody = Sent<typeof replayExecution>['body'];

/** Starts a run from one that has ended. Gives the new run's id. */
export async function replayRun({ id, workflow_id }: RunAddress, how: ReplayBody): Promise<string> {
  const params = { id: workflow_id, execution_id: id };
  const { execution_id } = await api(replayExecution, { params, body: { ...how, trigger_source: 'Canvas' } });
  return execution_id;
}

/** Runs that were stopped or never began have no results that another run could use. */
const ENDED: readonly RunStatus[] = ['success', 'error'];

/** The newest run of a workflow that has ended, if there is one. */
export async function newestEndedRun(workflow_id: string): Promise<string | null> {
  // Of each status the newest: any number of stopped, cached and refused calls can be newer than both.
  const lists = await Promise.all(
    ENDED.map((status) => api(listAllHistory, { query: { workflow_id, status, limit: 1 } })),
  );
  const newestFirst = lists
    .flatMap(({ items }) => items)
    .toSorted((one, two) => (one.started_at < two.started_at ? 1 : -1));
  return newestFirst[0]?.id ?? null;
}

/** Whether `newestEndedRun` finds one. */
export const useHasEndedRun = (workflow_id: string, wanted: boolean) =>
  useQuery({
    enabled: wanted,
    queryKey: [...answersTo(listAllHistory, { query: { workflow_id } }), 'ended'],
    queryFn: () => newestEndedRun(workflow_id),
    select: (id) => id !== null,
  });

function addressOfRun({ id, workflow_id }: Pick<HistoryEntry, 'id' | 'workflow_id'>): RunAddress {
  if (!workflow_id) throw new Error('The workflow of this run is gone.');
  return { id, workflow_id };
}

/** Continues a failed run where it failed, on the version it was of or on the draft. Gives the new run's id. */
export const runFromFailure = async (
  run: HistoryEntry,
  version: 'same' | 'draft' = 'same',
): Promise<string> => replayRun(addressOfRun(run), { from: 'failed', version });

/** Calls that were answered without a run: the server keeps no whole input of theirs. */
const WITHOUT_RUN: readonly RunStatus[] = ['cached', 'rate_limited'];

/** How a run is repeated: on the version of now, or on the draft where that had run. */
export const againFrom = ({
  status,
  is_draft,
  inputs,
}: Pick<HistoryEntry, 'status' | 'is_draft' | 'inputs'>): ReplayBody => ({
  from: 'start',
  version: is_draft ? 'draft' : 'current',
  ...(WITHOUT_RUN.includes(status) ? { input: inputs as Json } : {}),
});

/** Repeats a run from its start with its input. Gives the new run's id. */
export const runAgain = async (run: HistoryEntry): Promise<string> =>
  replayRun(addressOfRun(run), againFrom(run));
