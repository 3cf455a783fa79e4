import { type HistoryEntry, listAllHistory } from '@millrace/contracts';
import { queryOptions } from '@tanstack/react-query';
import { api } from '../../../data/api.ts';
import { answersTo } from '../../../data/endpoint.ts';
import type { RunFilters } from '../../../data/runs.ts';
import type { RunPageSearch } from '../../../search.ts';
import { toFilters } from '../list/filters.ts';

export interface Neighbours {
  /** The next failure further down in the list, which is the one before in time. */
  readonly next: string | undefined;
  readonly previous: string | undefined;
}

/** Runs that are asked for at once; more than one, for several may have begun in the millisecond of this one. */
const LAST = 20;

/** The last of a list, newest first, that is newer than the run. Ids of runs begin with their time. */
export const nearestNewer = (items: readonly { id: string }[], id: string): string | undefined =>
  items.findLast((item) => item.id > id)?.id;

/** Failed runs of the list that one came from, or of the workflow. */
export function neighbourFilters(
  search: RunPageSearch,
  { workflow_id }: Pick<HistoryEntry, 'workflow_id'>,
): { filters: RunFilters; span: { ms: number } | undefined } {
  if (search.list === undefined)
    return {
      filters: { status: 'error', ...(workflow_id === null ? {} : { workflow_id }) },
      span: undefined,
    };
  const { filters, span } = toFilters(search);
  return { filters: { ...filters, status: 'error' }, span };
}

async function olderThan(id: string, filters: RunFilters, signal: AbortSignal): Promise<string | undefined> {
  const query = { ...filters, before: id, limit: 1 };
  return (await api(listAllHistory, { query }, { signal })).items[0]?.id;
}

/** The list begins at the newest: what is sought is at its end, when it is cut at this run. */
async function newerThan(
  { id, started_at }: Pick<HistoryEntry, 'id' | 'started_at'>,
  filters: RunFilters,
  signal: AbortSignal,
): Promise<string | undefined> {
  const query = { ...filters, from: started_at, limit: LAST };
  const first = await api(listAllHistory, { query }, { signal });
  const isWhole = first.next_before === null;
  const offset = Math.max(0, first.total - LAST);
  const last = isWhole ? first : await api(listAllHistory, { query: { ...query, offset } }, { signal });
  // Of a list that is longer than what is counted the end is not found.
  return last.next_before === null ? nearestNewer(last.items, id) : undefined;
}

/** The failed runs before and after a run in the list that one came from. */
export const neighboursQuery = (run: HistoryEntry, search: RunPageSearch) => {
  const { filters, span } = neighbourFilters(search, run);
  return queryOptions({
    queryKey: [...answersTo(listAllHistory, { query: filters }), 'neighbours', run.id, span],
    queryFn: async ({ signal }): Promise<Neighbours> => {
      const since = span ? { from: new Date(Date.now() - span.ms).toISOString() } : {};
      const [next, previous] = await Promise.all([
        olderThan(run.id, { ...filters, ...since }, signal),
        newerThan(run, filters, signal),
      ]);
      return { next, previous };
    },
  });
};
