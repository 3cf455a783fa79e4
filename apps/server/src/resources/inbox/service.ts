import type { InboxEntry, InboxFilters, InboxList } from '@millrace/contracts';
import { readFailure } from '../../execution/store/encoding/outcome.ts';
import { dismissRuns, restoreRuns } from '../../execution/store/history/dismissal.ts';
import { TOTAL_CAP } from '../../execution/store/history/filters.ts';
import { wasGivenUp } from '../../execution/store/queue/requeue/give-up.ts';
import type { Needs } from '../../services.ts';
import { readableWorkflowIds, visibleWorkflowIds } from '../workflows/access.ts';
import * as queries from './queries.ts';
import * as refused from './refused.ts';

type Reader = Needs<'db' | 'sql' | 'actor'>;

/** Characters of a reason that a list shows; the run has all of them. */
const REASON_LENGTH = 1_000;

function toEntry(row: queries.InboxRow): InboxEntry {
  const { failure, failed_node } = readFailure(row.outcome);
  return {
    execution_id: row.id,
    workflow_id: row.workflow_id,
    workflow_name: row.workflow_name,
    kind: wasGivenUp({ failure }) ? 'given_up' : 'failed',
    reason: failure?.message.slice(0, REASON_LENGTH) ?? null,
    node_label: failed_node?.node_label ?? null,
    trigger_source: row.trigger_source,
    started_at: row.started_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
    version_number: row.version_number,
    is_draft: row.is_draft,
    replay_of: row.replay_of,
    dismissed_at: row.dismissed_at?.toISOString() ?? null,
    refusal: null,
  };
}

function toRefusedEntry(row: refused.RefusedRow): InboxEntry {
  const { node_id, count, can_be_sent } = row;
  return {
    execution_id: row.id,
    workflow_id: row.workflow_id,
    workflow_name: row.workflow_name,
    kind: 'refused',
    reason: row.message,
    node_label: null,
    trigger_source: row.source,
    started_at: row.first_at.toISOString(),
    finished_at: row.last_at.toISOString(),
    version_number: null,
    is_draft: false,
    replay_of: null,
    dismissed_at: row.dismissed_at?.toISOString() ?? null,
    refusal: { because: row.reason, node_id, count, can_be_sent },
  };
}

/** The part of a list that is read from runs. */
interface RunsPart {
  readonly entries: readonly InboxEntry[];
  readonly counts: { readonly failed: number; readonly given_up: number };
  readonly is_capped: boolean;
  readonly older_not_searched: boolean;
}

const NO_RUNS: RunsPart = {
  entries: [],
  counts: { failed: 0, given_up: 0 },
  is_capped: false,
  older_not_searched: false,
};

async function runsPart(
  { sql, actor }: Reader,
  ids: readonly string[],
  { kind, ...filters }: InboxFilters,
): Promise<RunsPart> {
  if (kind === 'refused') return NO_RUNS;
  const selection = { ...filters, kind, viewer_id: actor.user_id };
  const [found, { failed, given_up, is_capped }, older_not_searched] = await Promise.all([
    queries.readInbox(sql, queries.inboxPage(ids, selection)),
    queries.countInbox(sql, queries.inboxCounts(ids, selection)),
    queries.hasOlderEntries(sql, ids, selection),
  ]);
  return { entries: found.map(toEntry), counts: { failed, given_up }, is_capped, older_not_searched };
}

interface RefusedPart {
  readonly entries: readonly InboxEntry[];
  readonly count: number;
}

async function refusedPart(
  { sql }: Reader,
  ids: readonly string[],
  filters: InboxFilters,
): Promise<RefusedPart> {
  if (filters.kind !== undefined && filters.kind !== 'refused') return { entries: [], count: 0 };
  const [rows, count] = await Promise.all([
    refused.refusedPage(sql, ids, filters),
    refused.countRefused(sql, ids, { filters, most: TOTAL_CAP }),
  ]);
  return { entries: rows.map(toRefusedEntry), count };
}

const newestFirst = (a: InboxEntry, b: InboxEntry): number => (a.execution_id < b.execution_id ? 1 : -1);

/** Failures and refused deliveries of the workflows that a person can see, newest first; failed trials only of that person. */
export async function listInbox(ctx: Reader, filters: InboxFilters): Promise<InboxList> {
  const ids = await readableWorkflowIds(ctx, filters.workflow_id);
  // One more than is shown: its presence means that there is a next page.
  const wanted = { ...filters, limit: filters.limit + 1 };
  const [runs, deliveries] = await Promise.all([runsPart(ctx, ids, wanted), refusedPart(ctx, ids, wanted)]);
  // Both have ids that sort by time.
  const found = [...runs.entries, ...deliveries.entries].sort(newestFirst);
  const items = found.slice(0, filters.limit);
  return {
    counts: { ...runs.counts, refused: deliveries.count },
    counts_are_capped: runs.is_capped || runs.older_not_searched || deliveries.count >= TOTAL_CAP,
    items,
    next_before: found.length > items.length ? (items.at(-1)?.execution_id ?? null) : null,
    older_not_searched: runs.older_not_searched,
  };
}

/** Moves both kinds of entries; ids of the other kind name nothing. */
async function move(ctx: Reader, ids: readonly string[], dismissed: boolean): Promise<number> {
  const workflow_ids = await visibleWorkflowIds(ctx);
  const moveRuns = dismissed ? dismissRuns : restoreRuns;
  const runs = await moveRuns(ctx.sql, workflow_ids, ids);
  return runs + (await refused.moveRefused(ctx.sql, workflow_ids, { ids, dismissed }));
}

/** Every person who sees a run may dismiss it, as they may delete it from history. */
export const dismiss = async (ctx: Reader, ids: readonly string[]): Promise<{ dismissed: number }> => ({
  dismissed: await move(ctx, ids, true),
});

export const restore = async (ctx: Reader, ids: readonly string[]): Promise<{ restored: number }> => ({
  restored: await move(ctx, ids, false),
});
