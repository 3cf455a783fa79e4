import type { Received, ResponseOf, replayExecution } from '@millrace/contracts';
import { invalidField, notFound } from '../../../core/app-error.ts';
import { catchUp } from '../../../core/catch-up.ts';
import { requireSafeJson } from '../../../core/documents/json-limits.ts';
import type { StoredRun } from '../../../execution/model/run.ts';
import type { ReplayStart } from '../../../execution/replay/replay-run.ts';
import { readUntil } from '../../../execution/run/start/part.ts';
import { isOfDraft } from '../../../execution/run/start/trial.ts';
import { wasTestRun } from '../../../execution/store/encoding/run-options.ts';
import type { PublishedWorkflow } from '../../../execution/workflows/published-workflow.ts';
import type { Needs, Services } from '../../../services.ts';
import { requireRun } from '../history/service.ts';
import { withNewestResults } from './earlier-runs.ts';

type Wanted = Received<typeof replayExecution>;

function parseStart({ from, node_id, iteration, only, earlier_runs }: Wanted['body']): ReplayStart {
  if (earlier_runs && !only)
    throw invalidField(['body', 'earlier_runs'], 'can only be given with only: true');
  if (from === 'node') {
    if (node_id === undefined)
      throw invalidField(['body', 'node_id'], 'is needed with from: node', 'missing');
    return { kind: 'node', node_id, iteration, only };
  }
  const given = Object.entries({ node_id, iteration, only: only || undefined });
  const [stray] = given.flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (stray !== undefined) throw invalidField(['body', stray], 'can only be given with from: node');
  return { kind: from };
}

async function loadWorkflow(
  { execution }: Services,
  { begin }: StoredRun,
  version: Wanted['body']['version'],
): Promise<PublishedWorkflow> {
  const { workflows } = execution;
  const { workflow_id, version_id } = begin;
  if (version === 'same') {
    const pinned = version_id === null ? undefined : await workflows.pinned(workflow_id, version_id);
    if (pinned) return pinned;
    throw invalidField(
      ['body', 'version'],
      'must be "current" or "draft": the version of that run no longer exists',
      'version_gone',
    );
  }
  const found = await (version === 'draft' ? workflows.draft(workflow_id) : workflows.published(workflow_id));
  if (!found) throw notFound('Workflow');
  return found;
}

interface Asked extends Pick<Wanted, 'params' | 'body'> {
  /** As stored; the same replay that is asked for again is the run that has the key. */
  readonly idempotency_key?: string;
}

/** Starts a run anew from a run of the workflow; for people who see the workflow, as its calls are. */
export async function replay(
  ctx: Needs<'db' | 'sql' | 'actor' | 'client_ip'>,
  services: Services,
  { params, body, idempotency_key }: Asked,
): Promise<ResponseOf<typeof replayExecution>> {
  const head = await requireRun(ctx, params.execution_id, params.id);
  await catchUp(services);
  const { execution } = services;
  const stored = await execution.journal.load(head.id);
  if (!stored) throw notFound('Run');
  if (body.input !== undefined) requireSafeJson(body.input, 'body');
  const from = parseStart(body);
  const workflow = await loadWorkflow(services, stored, body.version);
  const test_run = body.test_run ?? wasTestRun(stored.begin.options);
  // A trial up to a node is repeated as a trial, also where the draft is what is published.
  const tries = body.version === 'same' && readUntil(stored.begin.options) !== undefined;
  const draft = isOfDraft({ workflow }) || body.version === 'draft' || tries;
  const attempt = async (run: StoredRun): Promise<ResponseOf<typeof replayExecution>> => {
    const started = await execution.replay({
      stored: run,
      workflow,
      user_id: ctx.actor.user_id,
      from,
      input: body.input,
      idempotency_key,
      client: { ip: ctx.client_ip, test_run, draft, trigger_source: body.trigger_source },
    });
    return {
      execution_id: started.run_id,
      replay_of: run.begin.run_id,
      replay_from: started.from,
      reused_results: started.reused,
    };
  };
  return body.earlier_runs ? withNewestResults(services, stored, attempt) : attempt(stored);
}
