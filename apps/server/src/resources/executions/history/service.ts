import type {
  ActiveExecution,
  HistoryEntry,
  HistoryFilters,
  HistoryItem,
  HistoryList,
  ReplayFrom,
  RunGraph,
} from '@millrace/contracts';
import { AppError, conflict, notFound } from '../../../core/app-error.ts';
import { pendingOutputs } from '../../../execution/run/stored-answer.ts';
import * as queries from '../../../execution/store/history/list.ts';
import { type RemovalFilters, removeEnded, removeEndedRun } from '../../../execution/store/history/remove.ts';
import { graphOfRun } from '../../../execution/store/pinned-graphs.ts';
import { STATE } from '../../../execution/store/run-state.ts';
import { toNodeResults } from '../../../execution/stream/frames.ts';
import type { Needs, Services } from '../../../services.ts';
import { readableWorkflowIds, requireWorkflow, visibleWorkflowIds } from '../../workflows/access.ts';

type Reader = Needs<'db' | 'sql' | 'actor'>;

/** Words of the run table, and of runs that have none yet. */
function shownStatus(row: Pick<queries.ListRow, 'status'> & { state?: number }): HistoryItem['status'] {
  return row.state === STATE.queued ? 'queued' : row.status;
}

function toHistoryItem(row: queries.ListRow): HistoryItem {
  return {
    id: row.id,
    workflow_id: row.workflow_id,
    workflow_name: row.workflow_name,
    run_type: 'workflow',
    started_at: row.started_at.toISOString(),
    status: shownStatus(row),
    execution_time_ms: row.execution_time_ms,
    trigger_source: row.trigger_source,
    recovered: row.recovered,
    unresolved_references: row.unresolved_references,
    waits_behind: row.waits_behind,
    version_number: row.version_number,
    is_draft: row.is_draft,
    replay_of: row.replay_of,
    // Guarantee: only `execution/replay` writes the column.
    replay_from: row.replay_from === null ? null : (JSON.parse(row.replay_from) as ReplayFrom),
  };
}

async function loadHistory(
  ctx: Reader,
  workflow_ids: readonly string[],
  filters: HistoryFilters,
): Promise<HistoryList> {
  if (workflow_ids.length === 0)
    return { total: 0, total_is_capped: false, items: [], next_before: null, not_searched: [] };
  // One more than is shown: its presence means that there is a next page.
  const wanted = { ...filters, limit: filters.limit + 1 };
  const { rows, total, total_is_capped, not_searched } = await queries.listRuns(
    ctx.sql,
    workflow_ids,
    wanted,
  );
  const shown = rows.slice(0, filters.limit);
  const next_before = rows.length > shown.length ? (shown.at(-1)?.id ?? null) : null;
  return { total, total_is_capped, items: shown.map(toHistoryItem), next_before, not_searched };
}

/** Runs of one workflow, newest first. */
export async function listHistory(
  ctx: Reader,
  workflow_id: string,
  filters: HistoryFilters,
): Promise<HistoryList> {
  const { row } = await requireWorkflow(ctx, workflow_id, 'read');
  return loadHistory(ctx, [row.id], filters);
}

/** Runs of every workflow that the person can see, or of one of them. */
export async function listAllHistory(
  ctx: Reader,
  { workflow_id, ...filters }: HistoryFilters & { workflow_id?: string | undefined },
): Promise<HistoryList> {
  if (workflow_id !== undefined) return listHistory(ctx, workflow_id, filters);
  return loadHistory(ctx, await visibleWorkflowIds(ctx), filters);
}

export async function requireRun(
  ctx: Reader,
  entry_id: string,
  workflow_id?: string,
): Promise<queries.PinnedHead> {
  const head = await queries.readHead(ctx.sql, entry_id);
  if (!head || (workflow_id !== undefined && head.workflow_id !== workflow_id.toLowerCase()))
    throw notFound('Run');
  await requireWorkflow(ctx, head.workflow_id, 'read').catch((error: unknown) => {
    throw error instanceof AppError && error.code === 'not_found' ? notFound('Run') : error;
  });
  return head;
}

/** The run that called this one, where the person can see it. */
async function readCaller(
  ctx: Reader,
  { caller_run_id }: queries.PinnedHead,
): Promise<HistoryEntry['called_by']> {
  if (caller_run_id === null) return null;
  try {
    const { id, workflow_name } = await requireRun(ctx, caller_run_id);
    return { id, workflow_name };
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return null;
    throw error;
  }
}

/** One run with everything that it was given and gave; large values are fetched now, and only now. */
export async function readEntry(
  ctx: Reader,
  services: Services,
  { entry_id, workflow_id }: { entry_id: string; workflow_id?: string },
): Promise<HistoryEntry> {
  const head = await requireRun(ctx, entry_id, workflow_id);
  const { journal, live } = services.execution;
  const stored = await journal.load(entry_id);
  if (!stored) throw notFound('Run');
  const executor = live.get(entry_id);
  const records = executor ? executor.records : stored.records;
  return {
    ...toHistoryItem(head),
    status: shownStatus(head),
    called_by: await readCaller(ctx, head),
    until_node_id: head.until,
    inputs: stored.begin.input,
    outputs: stored.final?.outputs ?? pendingOutputs(records),
    node_results: toNodeResults(records, stored.final !== null),
  };
}

/** Differs when `readEntry` would show something else; nothing that the run was given or gave is read for it. */
export async function readMark(
  ctx: Reader,
  services: Services,
  { entry_id, workflow_id }: { entry_id: string; workflow_id?: string },
): Promise<string> {
  const head = await requireRun(ctx, entry_id, workflow_id);
  const { journal, live } = services.execution;
  const facts = live.get(entry_id)?.records.length ?? (await journal.look(entry_id, 'moved'))?.facts;
  return JSON.stringify([toHistoryItem(head), facts]);
}

/** The graph of a run as it was when the run started, without later changes. */
export async function readGraph(ctx: Reader, entry_id: string): Promise<RunGraph> {
  const { id } = await requireRun(ctx, entry_id);
  const pinned = await graphOfRun(ctx.sql, id);
  if (!pinned) throw new AppError('not_found', 'The version of this run has been deleted');
  const { version_id, version_number } = pinned;
  return {
    version_id,
    version_number,
    is_draft: version_number === null,
    // Both were checked before they were stored.
    nodes: JSON.parse(pinned.nodes),
    edges: JSON.parse(pinned.edges),
  };
}

/** Removes the finished runs of a workflow; every user who may see them may remove them. */
export async function deleteHistory(ctx: Reader, workflow_id: string): Promise<void> {
  const { row } = await requireWorkflow(ctx, workflow_id, 'read');
  await removeEnded(ctx.sql, [row.id]);
}

export async function deleteEntry(
  ctx: Reader,
  { entry_id, workflow_id }: { entry_id: string; workflow_id: string },
): Promise<void> {
  const { id } = await requireRun(ctx, entry_id, workflow_id);
  if (!(await removeEndedRun(ctx.sql, id))) throw conflict('The run has not ended yet; stop it first');
}

/** Removes the finished runs that the list shows with these filters, also those on its later pages. */
export async function deleteAllHistory(
  ctx: Reader,
  { workflow_id, ...filters }: RemovalFilters & { workflow_id?: string | undefined },
): Promise<void> {
  const ids =
    workflow_id === undefined
      ? await visibleWorkflowIds(ctx)
      : [(await requireWorkflow(ctx, workflow_id, 'read')).row.id];
  await removeEnded(ctx.sql, ids, filters);
}

/** Runs whose rows are read whole; of the others, which are many, people look at the list. */
const DETAILED = 50;

async function toActiveExecution(
  services: Services,
  row: queries.OpenRow,
  isDetailed: boolean,
): Promise<ActiveExecution> {
  const { journal, live } = services.execution;
  const executor = live.get(row.id);
  const stored = executor || !isDetailed ? undefined : await journal.load(row.id);
  const records = executor?.records ?? stored?.records ?? [];
  const status = shownStatus(row);
  return {
    execution_id: row.id,
    workflow_id: row.workflow_id,
    workflow_name: row.workflow_name,
    started_at: row.started_at.toISOString(),
    status: status === 'pending' || status === 'queued' ? status : 'running',
    pending_kind: row.pending_kind,
    waits_behind: row.waits_behind,
    trigger_source: row.trigger_source,
    inputs: executor?.begin.input ?? stored?.begin.input ?? {},
    running_node_ids: [...new Set(executor?.running.map(({ node_id }) => node_id) ?? [])],
    node_results: toNodeResults(records),
  };
}

/** Runs that have not ended, here or on another process. */
export async function listActive(
  ctx: Reader,
  services: Services,
  workflow_id: string | undefined,
): Promise<ActiveExecution[]> {
  const ids = await readableWorkflowIds(ctx, workflow_id);
  const rows = await queries.readOpen(ctx.sql, ids);
  return Promise.all(rows.map((row, at) => toActiveExecution(services, row, at < DETAILED)));
}

/** Ends a run and the runs below it, on whichever process they run. */
export async function cancelRun(
  ctx: Reader,
  services: Services,
  {
    execution_id,
    workflow_id,
    include_dispatched,
  }: { execution_id: string; workflow_id: string; include_dispatched?: boolean | undefined },
): Promise<{ status: 'cancel_requested' }> {
  const { row } = await requireWorkflow(ctx, workflow_id, 'read');
  const { live, ownership } = services.execution;
  const executor = live.get(execution_id);
  const head = executor ?? (await queries.readHead(ctx.sql, execution_id));
  if (head?.workflow_id !== row.id) throw notFound('Execution');
  // The one that runs here needs not wait for the database to hear of it.
  executor?.cancel();
  const answer = await ownership.requestCancel(execution_id, { include_dispatched });
  if (answer !== 'requested' && !executor) throw notFound('Execution');
  return { status: 'cancel_requested' };
}
