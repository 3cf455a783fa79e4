import {
  cancelReplayJob,
  createReplayJob,
  dismissEntries,
  type InboxEntry,
  type InboxKind,
  type InboxList,
  listInbox,
  listReplayJobs,
  pauseReplayJob,
  type ReplayJob,
  restoreEntries,
  resumeReplayJob,
  type Sent,
  sendDeliveries,
} from '@millrace/contracts';
import { infiniteQueryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from './api.ts';
import { keys } from './keys.ts';

const PAGE = 100;
const LIST_MS = 5_000;
const JOB_MS = 1_000;
/** As many ids as one request takes. */
const NAMED_AT_ONCE = 1_000;

/** The filters that narrow the runs of a replay job. */
export interface RunFilters {
  workflow_id?: string;
  kind?: Exclude<InboxKind, 'refused'>;
  search?: string;
}

export interface InboxFilters extends Omit<RunFilters, 'kind'> {
  kind?: InboxKind;
}

/** Entries newest first, page by page, kept fresh while only the first page is loaded. */
export const inboxQuery = (filters: InboxFilters, dismissed: boolean) =>
  infiniteQueryOptions({
    queryKey: [...keys.inbox, filters, dismissed],
    queryFn: ({ pageParam, signal }) => {
      const before = pageParam === null ? {} : { before: pageParam };
      const place = dismissed ? { dismissed: 'true' } : {};
      return api(listInbox, { query: { ...filters, ...place, ...before, limit: PAGE } }, { signal });
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_before,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 1 ? LIST_MS : false),
  });

/** Takes entries out of the inbox, or puts them back. */
export function useMoveEntries() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ ids, dismissed }: { ids: readonly string[]; dismissed: boolean }) => {
      const move = dismissed ? dismissEntries : restoreEntries;
      for (let at = 0; at < ids.length; at += NAMED_AT_ONCE)
        await api(move, { body: { execution_ids: ids.slice(at, at + NAMED_AT_ONCE) } });
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.runs }),
  });
}

/** As many deliveries as one request takes, and as one page of the list has. */
const SENT_AT_ONCE = 100;
const LISTED_AT_ONCE = 500;

/** Ids of the refused deliveries that can be sent again, on all pages. */
export async function findSendable(filters: Omit<InboxFilters, 'kind'>): Promise<string[]> {
  const ids: string[] = [];
  let before: string | null = null;
  do {
    const place: { before?: string } = before === null ? {} : { before };
    const page: InboxList = await api(listInbox, {
      query: { ...filters, kind: 'refused', ...place, limit: LISTED_AT_ONCE },
    });
    ids.push(...page.items.filter(canBeSent).map(({ execution_id }) => execution_id));
    before = page.next_before;
  } while (before !== null);
  return ids;
}

export const canBeSent = ({ refusal }: InboxEntry): boolean => refusal?.can_be_sent === true;

/** How many deliveries were sent, and why each of the others was not. */
interface Sending {
  readonly sent: number;
  readonly reasons: readonly string[];
}

/** Sends refused deliveries again. Fails only when none was sent. */
export async function sendAgain(ids: readonly string[]): Promise<Sending> {
  let sent = 0;
  const reasons: string[] = [];
  for (let at = 0; at < ids.length; at += SENT_AT_ONCE) {
    try {
      const body = { delivery_ids: ids.slice(at, at + SENT_AT_ONCE) };
      const answer = await api(sendDeliveries, { body });
      sent += answer.sent;
      reasons.push(...answer.not_sent.map(({ message }) => message));
    } catch (error) {
      if (sent === 0) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      return { sent, reasons: [...reasons, ...ids.slice(at).map(() => reason)] };
    }
  }
  return { sent, reasons };
}

export function useSendDeliveries() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: sendAgain,
    onSettled: () => client.invalidateQueries({ queryKey: keys.runs }),
  });
}

const isUnderWay = ({ state }: ReplayJob): boolean => state === 'running';

/** The newest replay job of the user, followed while it runs. */
export const useReplayJob = () =>
  useQuery({
    queryKey: keys.replayJobs,
    queryFn: ({ signal }) => api(listReplayJobs, {}, { signal }),
    select: ([newest]) => newest,
    refetchInterval: ({ state }) => (state.data?.[0] && isUnderWay(state.data[0]) ? JOB_MS : false),
  });

export function useStartReplayJob() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Sent<typeof createReplayJob>['body']) => api(createReplayJob, { body }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.runs }),
  });
}

const MOVES = { pause: pauseReplayJob, resume: resumeReplayJob, cancel: cancelReplayJob } as const;

export function useMoveReplayJob() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id, move }: { id: string; move: keyof typeof MOVES }) =>
      api(MOVES[move], { params: { id } }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.runs }),
  });
}
