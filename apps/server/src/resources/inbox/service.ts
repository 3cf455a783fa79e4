import type { InboxEntry, InboxFilters, InboxList } from '@millrace/contracts';
import type { Needs } from '../../execution/context.ts';
import { readFailure } from '../../execution/store/encoding/outcome.ts';
import * as store from '../../execution/store/history/inbox.ts';
import { wasGivenUp } from '../../execution/store/queue/requeue/give-up.ts';
import { requireWorkflow, visibleWorkflowIds } from '../workflows/access.ts';

type Reader = Needs<'db' | 'sql' | 'actor'>;

/** Characters of a reason that a list shows; the run has all of them. */
const REASON_LENGTH = 1_000;

function entryOf(row: store.InboxRow): InboxEntry {
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
  };
}

/** The workflows whose entries a person may see: all of theirs, or the one that they ask for. */
export async function inboxWorkflows(ctx: Reader, workflow_id: string | undefined): Promise<string[]> {
  if (workflow_id === undefined) return visibleWorkflowIds(ctx);
  return [(await requireWorkflow(ctx, workflow_id, 'read')).row.id];
}

/** Failures of the workflows that a person can see, newest first. */
export async function listInbox(ctx: Reader, filters: InboxFilters): Promise<InboxList> {
  const ids = await inboxWorkflows(ctx, filters.workflow_id);
  // One more than is shown: its presence means that there is a next page.
  const wanted = { ...filters, limit: filters.limit + 1 };
  const [found, count, older_not_searched] = await Promise.all([
    store.readInbox(ctx.sql, store.inboxPage(ids, wanted)),
    store.countInbox(ctx.sql, store.inboxCounts(ids, filters)),
    store.hasOlderEntries(ctx.sql, ids, filters),
  ]);
  const rows = found.slice(0, filters.limit);
  return {
    counts: { failed: count.failed, given_up: count.given_up },
    counts_are_capped: count.is_capped || older_not_searched,
    items: rows.map(entryOf),
    next_before: found.length > rows.length ? (rows.at(-1)?.id ?? null) : null,
    older_not_searched,
  };
}

/** Every person who sees a run may dismiss it, as they may delete it from history. */
export const dismiss = async (ctx: Reader, run_ids: readonly string[]): Promise<{ dismissed: number }> => ({
  dismissed: await store.dismissRuns(ctx.sql, await visibleWorkflowIds(ctx), run_ids),
});

export const restore = async (ctx: Reader, run_ids: readonly string[]): Promise<{ restored: number }> => ({
  restored: await store.restoreRuns(ctx.sql, await visibleWorkflowIds(ctx), run_ids),
});
