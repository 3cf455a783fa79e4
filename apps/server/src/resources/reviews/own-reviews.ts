import type {
  OpenReview,
  OpenReviewFilters,
  OpenReviewList,
  OwnReview,
  OwnReviewDecision,
} from '@millrace/contracts';
import type { Execution } from '../../execution/execution.ts';
import type { Needs, Services } from '../../services.ts';
import { canSeeWorkflow, readableWorkflowIds } from '../workflows/access.ts';
import { type OpenReviewRow, readOpenReviews } from './queries.ts';
import { decide, type FindWait, requireOpenReview, show } from './service.ts';

type Person = Needs<'db' | 'actor'>;

/** Characters of a summary that a list shows; the review has all of them. */
const SUMMARY_LENGTH = 1_000;

/** Decodes the escaped text of a JSON string. */
const unescaped = (text: string): string => String(JSON.parse(`"${text}"`));

const toOpenReview = ({ run_id, summary, asked_at, due_at, ...row }: OpenReviewRow): OpenReview => ({
  ...row,
  execution_id: run_id,
  summary: unescaped(summary ?? '').slice(0, SUMMARY_LENGTH),
  asked_at: asked_at.toISOString(),
  expires_at: due_at?.toISOString() ?? null,
});

/** Open reviews of the workflows that a person can see. */
export async function listOpen(
  ctx: Person & Needs<'sql'>,
  filters: OpenReviewFilters,
): Promise<OpenReviewList> {
  const { workflow_id, limit } = filters;
  const workflow_ids = await readableWorkflowIds(ctx, workflow_id);
  // One more than is shown: its presence means that there is a next page.
  const found = await readOpenReviews(ctx.sql, workflow_ids, { ...filters, limit: limit + 1 });
  const items = found.rows.slice(0, limit).map(toOpenReview);
  return {
    count: found.count,
    count_is_capped: found.is_capped,
    items,
    next_before: found.rows.length > limit ? (items.at(-1)?.id ?? null) : null,
  };
}

/** The id of a review is what is stored of its token, which cannot be had from it. Without rights there is no review. */
const asPerson =
  ({ ownership }: Pick<Execution, 'ownership'>, { db, actor }: Person, id: string): FindWait =>
  async () => {
    const wait = await ownership.findWait(id);
    return wait && (await canSeeWorkflow(db, actor.user_id, wait.workflow_id)) ? wait : undefined;
  };

export async function read(execution: Execution, ctx: Person, id: string): Promise<OwnReview> {
  const wait = await requireOpenReview(asPerson(execution, ctx, id), 'gone');
  const { workflow_id, run_id } = wait;
  return { ...(await show(execution, wait)), id, workflow_id, execution_id: run_id };
}

/** The account is the reviewer, regardless of how people call themselves elsewhere. */
export function decideAs(
  services: Pick<Services, 'execution' | 'run_secrets'>,
  ctx: Person,
  { id, decision }: { id: string; decision: OwnReviewDecision },
): Promise<{ request_id: string; status: 'resolved' }> {
  const { name, email } = ctx.actor;
  return decide(services, asPerson(services.execution, ctx, id), {
    ...decision,
    reviewer_name: name.trim() || email,
  });
}
