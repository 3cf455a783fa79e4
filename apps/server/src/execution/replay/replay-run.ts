import {
  type Ambient,
  type Json,
  type JsonObject,
  planReplay,
  type Replay,
  type ReplayFrom,
} from '@millrace/engine';
import { AppError, invalidField } from '../../core/app-error.ts';
import type { Admit, AdmittedRun, Client } from '../admission/admission.ts';
import { refusePlace } from '../admission/no-place.ts';
import { limitHeaders, withLimit } from '../admission/rate-limit.ts';
import type { RefusalNeeds } from '../admission/record-refusal.ts';
import type { QueuedRun } from '../model/queue.ts';
import type { StoredRun } from '../model/run.ts';
import type { StampedRecord, StepRecord } from '../model/step.ts';
import type { Ownership } from '../ownership/ownership.ts';
import { hideStart } from '../run/secrets/sealed-input.ts';
import { maskedFact } from '../run/secrets/sealed-result.ts';
import { RunSecretsMask } from '../run/secrets/secrets-mask.ts';
import type { Vault } from '../run/secrets/vault.ts';
import { behindOption, onlyOption, readUntil, storedPart } from '../run/start/part.ts';
import { queuedRun } from '../run/start/queued-run.ts';
import { reused } from '../run/start/reuse.ts';
import { trialOptions } from '../run/start/trial.ts';
import { wasTrial } from '../store/encoding/run-options.ts';
import { FIRST_FRAME } from '../stream/frames.ts';
import type { PublishedWorkflow } from '../workflows/published-workflow.ts';
import { refusedReplay } from './messages.ts';
import { openPastRun, type PastRun } from './past-run.ts';

export interface ReplayNeeds extends RefusalNeeds {
  readonly admit: Admit;
  readonly ownership: Ownership;
  readonly ambient: Ambient;
}

/** `start`: with the same or another input, and no results. */
export type ReplayStart = { readonly kind: 'start' } | ReplayFrom;

export interface ReplayWish {
  readonly stored: StoredRun;
  /** The version that the new run is of. */
  readonly workflow: PublishedWorkflow;
  /** Has access to the workflow; the new run is attributed to this person. */
  readonly user_id: string;
  readonly from: ReplayStart;
  /** Takes the place of the earlier run's input. */
  readonly input?: Json | undefined;
  /** Of the new run; where a run of the workflow has it, that one is the replay. */
  readonly idempotency_key?: string | undefined;
  readonly client: Client;
}

export interface StartedReplay {
  readonly run_id: string;
  readonly from: ReplayShown;
  /** Results that were taken over. */
  readonly reused: number;
}

/** Where a replay began, as history shows it. */
export interface ReplayShown extends JsonObject {
  from: 'start' | 'failed' | 'node';
  /** Null where it began with the start nodes, or where the earlier run stopped between nodes. */
  node_id: string | null;
  iteration: string;
  only: boolean;
}

/** A run that began with a file continues with that file: what its trigger received is kept. */
function planFromStart(past: PastRun, { version }: PublishedWorkflow): Replay {
  const received = past.stored.begin.trigger_node_id === version.upload_trigger?.id;
  const results = past.results.filter(
    ({ result, is_whole }) =>
      received && is_whole && result.status === 'success' && result.node_id === version.upload_trigger?.id,
  );
  return { kind: 'replay', results: results.map(({ result }) => result), at: null, starts: null };
}

function buildPlan(ambient: Ambient, past: PastRun, wish: ReplayWish): Replay {
  const { from, workflow, client, input } = wish;
  if (from.kind === 'start') return planFromStart(past, workflow);
  if (from.kind === 'failed' && past.final.status === 'success')
    throw invalidField(
      ['body', 'from'],
      'The run succeeded; it has no failed node to begin at',
      'not_failed',
    );
  const { trigger_node_id } = past.stored.begin;
  const options = {
    input: past.input,
    ambient,
    test_run: client.test_run === true,
    ...(trigger_node_id === null ? {} : { only_trigger: trigger_node_id }),
  };
  const plan = planReplay(workflow.version.graph, past.results, { from, options });
  if (plan.kind === 'refused') throw refusedReplay(plan);
  const { graph } = workflow.version;
  const reads = graph.roots.some((root) => graph.nodes[root]?.id === plan.at?.node_id);
  if (input !== undefined && !reads)
    throw invalidField(['body', 'input'], 'is read by start nodes only; replay from the start to change it');
  return plan;
}

const shownStart = ({ from }: ReplayWish, { at }: Replay): ReplayShown => ({
  from: from.kind,
  node_id: at?.node_id ?? null,
  iteration: at?.iteration ?? '',
  only: from.kind === 'node' && from.only === true,
});

/** Results as rows of the new run: masked with what both persons must not see, and numbered from the front. */
function buildRows(
  vault: Vault,
  { results }: Replay,
  { secrets, now, wrote }: { secrets: RunSecretsMask; now: number; wrote: boolean },
): StepRecord[] {
  return results.map((result, index): StampedRecord => {
    const fact = reused(result, { sequence: index + 1, now, wrote });
    const masked = secrets.mask(fact);
    const frames = [0, FIRST_FRAME + index + 1];
    const row = maskedFact(vault, fact, masked);
    return masked === fact ? { ...row, frames } : { ...row, frames, masked: true };
  });
}

/** A trial of a run that was none, or one node alone, does not do what the earlier run was to do. */
function dismisses({ client, from, stored }: ReplayWish): boolean {
  if (from.kind === 'node' && from.only === true) return false;
  return wasTrial(stored.begin.options) || (client.test_run !== true && client.draft !== true);
}

/**
 * The node at which the earlier run was to end, where this one is of the draft as well and does not say where it begins.
 *
 * @throws AppError where the draft has no such node any more, or a continued run could not end there, so that the rest of it
 *   does not run instead
 */
function keptEnd({ stored }: PastRun, { from, workflow, client }: ReplayWish): string | undefined {
  const until = readUntil(stored.begin.options);
  if (until === undefined || from.kind === 'node') return undefined;
  if (client.draft !== true) {
    if (from.kind === 'start') return undefined;
    throw invalidField(
      ['body', 'version'],
      'The run was to end at a chosen node, as only tests of a draft can; continue it with "same" or "draft"',
      'not_reached',
    );
  }
  const { graph } = workflow.version;
  const node = graph.nodes[graph.indexOf(until)];
  if (node?.active && node.flow === 'main') return until;
  throw invalidField(
    ['body', 'version'],
    'The node at which the run was to end is switched off or gone; run the workflow up to another one',
    'not_reached',
  );
}

/**
 * The node that the replay of a part is limited to: branches that the person left out then do not run now. A continued one
 * keeps its limit.
 */
function findLimit({ stored }: PastRun, { from, workflow }: ReplayWish): string | undefined {
  const part = storedPart(stored.begin.options);
  if (part === undefined || from.kind === 'start') return undefined;
  if (from.kind === 'node') return from.only ? undefined : from.node_id;
  const { behind } = part;
  if (behind === undefined || workflow.version.graph.indexOf(behind) >= 0) return behind;
  throw invalidField(
    ['body', 'version'],
    'The node at which that run began is gone; begin at another one',
    'gone',
  );
}

interface Prepared {
  readonly past: PastRun;
  readonly plan: Replay;
  readonly admitted: AdmittedRun;
}

async function buildRow(
  { run_secrets, now: readNow }: Pick<ReplayNeeds, 'run_secrets' | 'now'>,
  wish: ReplayWish,
  prepared: Prepared,
): Promise<QueuedRun> {
  const { past, plan, admitted } = prepared;
  const now = readNow();
  const secrets = new RunSecretsMask(await run_secrets.getSecrets(admitted.run_as), past.secrets);
  const limit = findLimit(past, wish);
  const options = {
    ...past.options,
    ...onlyOption(plan.starts),
    ...(limit === undefined ? {} : behindOption(limit)),
    ...trialOptions(admitted),
  };
  const start = hideStart({ run_secrets }, { input: admitted.input, options }, secrets, {
    always: secrets.values.size > 0,
  });
  const { begin } = past.stored;
  return queuedRun(admitted, {
    ...start,
    started_at_ms: now,
    idempotency_key: wish.idempotency_key ?? null,
    trigger_node_id: begin.trigger_node_id,
    replay: {
      of: begin.run_id,
      from: shownStart(wish, plan),
      results: buildRows({ run_secrets }, plan, { secrets, now, wrote: past.wrote }),
      dismisses: dismisses(wish),
    },
  });
}

/**
 * Starts a new run with what an earlier one was given and, unless it begins at the start, with those of its results that
 * stand. Run and results are stored in one statement; the process that claims the run finds them as if it had crashed
 * there.
 *
 * @throws AppError where the earlier run cannot be replayed from there, or admission refuses the new one
 */
export async function replayRun(needs: ReplayNeeds, wish: ReplayWish): Promise<StartedReplay> {
  const { workflow, user_id } = wish;
  const past = await openPastRun(needs, wish.stored, { workflow, given: wish.input });
  const plan = buildPlan(needs.ambient, past, wish);
  const admitted = await needs.admit.replay({
    workflow,
    principal: { kind: 'user', user_id, has_access: true },
    input: past.input,
    client: { ...wish.client, until: keptEnd(past, wish) },
  });
  if (admitted.kind === 'rate_limited') {
    const headers = admitted.limit ? limitHeaders(admitted.limit) : {};
    throw new AppError('rate_limited', 'The rate limit of this workflow is exceeded', { headers });
  }
  try {
    const run = await buildRow(needs, wish, { past, plan, admitted });
    const stored = await needs.ownership.enqueue(run);
    if (stored.kind === 'refused') throw refusePlace(needs, admitted);
    const run_id = stored.kind === 'duplicate' ? stored.existing_run_id : run.run_id;
    return { run_id, from: shownStart(wish, plan), reused: plan.results.length };
  } catch (error) {
    throw withLimit(error, admitted.limit);
  }
}
