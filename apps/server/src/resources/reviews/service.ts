import type { Review, ReviewDecision } from '@millrace/contracts';
import { type JsonObject, readTextAt } from '@millrace/engine';
import { AppError, notFound } from '../../core/app-error.ts';
import { tokenDigest } from '../../core/secrets/tokens.ts';
import type { Execution } from '../../execution/execution.ts';
import type { FoundWait } from '../../execution/model/wait.ts';
import { sealedData } from '../../execution/run/secrets/sealed-result.ts';
import type { Services } from '../../services.ts';

const nothing = (): AppError => notFound('Review');
const WORDS = { accept: 'accepted', edit: 'edited', refuse: 'refused' } as const;

/** Why a review takes no decision any more. */
type Closed = 'decided' | 'expired' | 'ended';

function closedBy(wait: FoundWait): Closed | undefined {
  const { decision, is_decided, is_due } = wait;
  if (decision !== null) return decision === 'timed_out' ? 'expired' : 'decided';
  if (is_decided) return 'ended';
  return is_due ? 'expired' : undefined;
}

const SENTENCES: Readonly<Record<Closed, string>> = {
  decided: 'This review has already been decided',
  expired: 'This review has expired',
  ended: 'The run that asked for this review has ended',
};

/** @param afterDecision status of a review that a person has decided: 410 for readers, 409 for a second decision */
function createRefusal(reason: Closed, afterDecision: 'gone' | 'conflict'): AppError {
  const code = reason === 'decided' ? afterDecision : 'gone';
  const message = SENTENCES[reason];
  return new AppError(code, message, { detail: { message, reason } });
}

/** Looks a wait up for one caller; undefined where there is none for them. */
export type FindWait = () => Promise<FoundWait | undefined>;

/** The token is the only proof that its caller needs. */
export const byToken =
  ({ ownership }: Pick<Execution, 'ownership'>, token: string): FindWait =>
  () =>
    ownership.findWait(tokenDigest(token));

/**
 * The review that the caller can open. Other kinds of waits have doors of their own.
 *
 * @throws AppError `not_found` where there is none; `gone`, or what `afterDecision` says, when it is closed
 */
export async function requireOpenReview(
  find: FindWait,
  afterDecision: 'gone' | 'conflict',
): Promise<FoundWait> {
  const wait = await find();
  if (wait?.kind !== 'review') throw nothing();
  const closed = closedBy(wait);
  if (closed) throw createRefusal(closed, afterDecision);
  return wait;
}

function createPayloadReader({ payload }: FoundWait): (key: string) => string {
  return (key) => readTextAt(payload, key);
}

/** The view of a reviewer: the names of workflow and node, and what the node shows. */
export async function show({ workflows }: Pick<Execution, 'workflows'>, wait: FoundWait): Promise<Review> {
  const { workflow_id, version_id } = wait;
  const workflow = version_id === null ? undefined : await workflows.pinned(workflow_id, version_id);
  if (!workflow) throw nothing();
  const text = createPayloadReader(wait);
  return {
    request_id: text('requestId'),
    workflow_name: workflow.settings.name,
    agent_label: workflow.version.graph.nodes.find(({ id }) => id === wait.node_id)?.label ?? '',
    summary: text('summary'),
    original_draft_text: text('draftText'),
    status: 'pending',
    decision: null,
    edited_text: null,
    refusal_reason: null,
    resolved_output: null,
    expires_at: text('expiresAt'),
    resolved_at: null,
  };
}

function broughtBy({ action, edited_text, refusal_reason, reviewer_name }: ReviewDecision): JsonObject {
  const name = reviewer_name?.trim();
  const reason = refusal_reason?.trim();
  return {
    ...(action === 'edit' ? { edited_text: edited_text ?? '' } : {}),
    ...(action === 'refuse' && reason ? { refusal_reason: reason } : {}),
    ...(name ? { reviewer_name: name } : {}),
  };
}

/** Hands the decision to the run, which continues wherever there is room. The first one wins, on any process. */
export async function decide(
  { execution, run_secrets }: Pick<Services, 'execution' | 'run_secrets'>,
  find: FindWait,
  body: ReviewDecision,
): Promise<{ request_id: string; status: 'resolved' }> {
  const wait = await requireOpenReview(find, 'conflict');
  const { run_id, node_id, iteration, key } = wait;
  const outcome = await execution.ownership.resume(run_id, {
    node_id,
    iteration,
    key,
    decision: WORDS[body.action],
    data: sealedData({ run_secrets }, broughtBy(body)),
  });
  if (outcome !== 'resumed') {
    // Something was faster: another reviewer, the clock, or the end of the run.
    await requireOpenReview(find, 'conflict');
    throw createRefusal('decided', 'conflict');
  }
  return { request_id: createPayloadReader(wait)('requestId'), status: 'resolved' };
}
