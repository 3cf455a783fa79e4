import type { TestUser } from '../../../testing/test-app.ts';
import { until } from './workflows.ts';

export interface StoredRun {
  readonly id: string;
  readonly run_id: string;
}

export interface HistoryEntry {
  readonly status: string;
  readonly outputs: unknown;
  readonly until_node_id: string | null;
  readonly node_results: readonly {
    readonly node_id: string;
    readonly status: string;
    readonly error: string | null;
    readonly output: Record<string, unknown>;
    readonly metadata: object;
  }[];
}

const IS_OPEN: ReadonlySet<string> = new Set(['queued', 'running', 'pending']);

/** The run `run_id` of workflow `id` as its history shows it now. */
export const fetchHistoryEntry = async (user: TestUser, { id, run_id }: StoredRun): Promise<HistoryEntry> =>
  (await user.call('GET', `/api/workflows/${id}/history/${run_id}`)).json<HistoryEntry>();

/** The same when the run has ended. */
export const endedEntry = (user: TestUser, run: StoredRun): Promise<HistoryEntry> =>
  until(async () => {
    const entry = await fetchHistoryEntry(user, run);
    return !IS_OPEN.has(entry.status) && entry;
  });

export const findResult = (entry: HistoryEntry, node_id: string) =>
  entry.node_results.find((row) => row.node_id === node_id);
