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
  sendDeliveries,
} from '@millrace/contracts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { api } from './api.ts';
import { endpointPages, useChange, useEndpoint, useEndpointChange } from './endpoint.ts';
import { RUNS } from './runs.ts';

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
export const useInbox = (filters: InboxFilters, dismissed: boolean) =>
  useInfiniteQuery({
    ...endpointPages(listInbox, {
      first: undefined as string | undefined,
      ask: (before) => ({
        query: { ...filters, ...(dismissed ? { dismissed: 'true' } : {}), before, limit: PAGE },
      }),
      next: (page) => page.next_before,
    }),
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= 1 ? LIST_MS : false),
  });

const changed = { renewsEvenIfRefused: RUNS };

/** Takes entries out of the inbox, or puts them back. */
export const useMoveEntries = () =>
  useChange(async ({ ids, dismissed }: { ids: readonly string[]; dismissed: boolean }) => {
    const move = dismissed ? dismissEntries : restoreEntries;
    for (let at = 0; at < ids.length; at += NAMED_AT_ONCE)
      await api(move, { body: { execution_ids: ids.slice(at, at + NAMED_AT_ONCE) } });
  }, changed);

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

export const useSendDeliveries = () => useChange(sendAgain, changed);

const isUnderWay = ({ state }: ReplayJob): boolean => state === 'running';

/** The newest replay job of the user, followed while it runs. */
export const useReplayJob = () =>
  useEndpoint(
    listReplayJobs,
    {},
    {
      select: ([newest]) => newest,
      refetchInterval: ({ state }) => (state.data?.[0] && isUnderWay(state.data[0]) ? JOB_MS : false),
    },
  );

export const useStartReplayJob = () => useEndpointChange(createReplayJob, changed);

const MOVES = { pause: pauseReplayJob, resume: resumeReplayJob, cancel: cancelReplayJob } as const;

export const useMoveReplayJob = () =>
  useChange(
    ({ id, move }: { id: string; move: keyof typeof MOVES }) => api(MOVES[move], { params: { id } }),
    changed,
  );
