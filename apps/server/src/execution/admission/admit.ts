import { ExpressionError, type Json, type JsonObject } from '@millrace/engine';
import { AppError, conflict, forbidden, notFound } from '../../core/app-error.ts';
import type { SharedStore } from '../../ports/shared-store.ts';
import type { RunEnvironment } from '../run/environment.ts';
import { hashOfKey } from '../run/key-hash.ts';
import { TRIGGER_SOURCES } from '../trigger-source.ts';
import type { PublishedWorkflow } from '../workflows/published-workflow.ts';
import type { NowOrLater } from '../workflows/workflow-cache.ts';
import { type IdempotencyKey, idempotencyKeyOf } from './idempotency.ts';
import {
  type CallerPrincipal,
  hasAccess,
  type InternalPrincipal,
  type Principal,
  runAs,
  sourceOf,
  type UserPrincipal,
  userOf,
} from './principal.ts';
import { countCall, type LimitAnswer, limitHeaders } from './rate-limit.ts';
import { recordWithoutRun } from './record-refusal.ts';
import { type CachedAnswer, cacheKey, readCached } from './response-cache.ts';
import type { HttpInput } from './run-input.ts';

/** What a caller says about a call, beside its input. */
export interface Client {
  /** Address that limits count by (§8.1). */
  readonly ip: string;
  /** History label that the caller chose (§4.1 rule 4). */
  readonly trigger_source?: string | undefined;
  /** §4.1 rule 2. */
  readonly test_run?: boolean;
  /** Compute the answer anew, and keep it; only people with access may ask for that. */
  readonly fresh?: boolean;
  /** The workflow is what the editor saved last, to be tried before it is published. */
  readonly draft?: boolean;
  /** As the caller gave it. */
  readonly idempotency_key?: string | string[] | undefined;
}

export interface CallRequest {
  readonly workflow: PublishedWorkflow;
  readonly principal: CallerPrincipal;
  /** What expressions read as `$input`. */
  readonly input: HttpInput;
  readonly client: Client;
}

/** A person starts a run with what an earlier one was given. */
export interface ReplayRequest {
  readonly workflow: PublishedWorkflow;
  readonly principal: UserPrincipal;
  /** As history shows it; it does not depend on what started the earlier run. */
  readonly input: Json;
  readonly client: Client;
}

/** No client: what starts runs from inside is neither limited nor answered from the cache. */
export interface InternalRequest {
  readonly workflow: PublishedWorkflow;
  readonly principal: InternalPrincipal;
  readonly input: Json;
}

interface Admission {
  readonly workflow: PublishedWorkflow;
  readonly principal: Principal;
  /** Whose credentials and global variables the run uses. */
  readonly run_as: string;
  readonly input: Json;
  /** Label of §6.3; null where the specification leaves it unset. */
  readonly trigger_source: string | null;
}

/** A run that may start, in this process or from the queue. */
export interface AdmittedRun extends Admission {
  readonly kind: 'run';
  /** Set by a caller that has to know it before the run starts. */
  readonly run_id?: string;
  readonly test_run: boolean;
  /** Set when the workflow has a limit that applies to the call. */
  readonly limit: LimitAnswer | undefined;
  /** Where a success is kept; absent without a response cache. */
  readonly cache_key: string | undefined;
  readonly idempotency: IdempotencyKey | undefined;
  /** Of the runs that it shares places with (`PlaceGroup`). */
  readonly place_key: string;
  /** Set when the run begins with a slot for a file (§4.3): its first answer is where the file is sent to. */
  readonly slot: RequestedSlot | undefined;
}

/** Who has asked for an upload slot. */
export interface RequestedSlot {
  readonly asked_by: Principal;
  readonly client_ip: string;
}

interface Answered extends Admission {
  readonly limit: LimitAnswer | undefined;
  readonly run_id: string;
}

export interface AdmittedFromCache extends Answered {
  readonly kind: 'cached';
  readonly answer: CachedAnswer;
}

export interface RateLimited extends Answered {
  readonly kind: 'rate_limited';
}

/** What becomes of a call. */
export type Admitted = AdmittedRun | AdmittedFromCache | RateLimited;

/** The only entry point for starting a run. */
export interface Admit {
  /**
   * A call from outside: rate limit, response cache and idempotency key apply (§4.1, §8.1).
   *
   * @throws AppError when the workflow cannot run, or the caller may not ask for what it asks
   */
  call(request: CallRequest): Promise<Admitted>;
  /**
   * The same for a replay, which is never answered from the cache, and needs no file where its earlier run has one.
   *
   * @throws AppError as `call`
   */
  replay(request: ReplayRequest): Promise<AdmittedRun | RateLimited>;
  /**
   * A run that a trigger, another run, a board or a reviewer's decision starts. A graph that cannot run is admitted: its failed run
   * in history is what tells the owner.
   *
   * @throws AppError `not_found` when the principal may not see the workflow; for a board also `conflict` when the workflow
   * is switched off
   */
  internal(request: InternalRequest): NowOrLater<AdmittedRun>;
}

export type AdmitNeeds = Pick<
  RunEnvironment,
  'access' | 'journal' | 'metrics' | 'run_secrets' | 'ambient' | 'log' | 'now'
> & {
  readonly shared_store: SharedStore;
  /** Setting `RESTRICT_TEST_RUN`. */
  readonly restrict_test_run: boolean;
};

/** A graph that no run could go through is refused here: the caller learns it at once, and no failed run is kept. */
function requireRunnable({ version }: PublishedWorkflow): void {
  const { nodes, refusal } = version.graph;
  if (nodes.length === 0)
    throw new AppError('bad_request', 'The workflow has no nodes; add at least one before executing it');
  if (refusal) throw new AppError('bad_request', `The workflow cannot be executed. ${refusal.message}`);
}

/** Calls run what is published, and only while the workflow is switched on. */
function requireLive({ settings, version }: PublishedWorkflow): void {
  if (!settings.active) throw conflict('The workflow is switched off');
  requirePublished(version);
}

function requirePublished({ number }: PublishedWorkflow['version']): void {
  if (number === 0) throw conflict('The workflow has not been published yet');
}

/** A draft is the matter of the people who edit it: no token, no visitor and no other run starts one. */
function requireMayRunDraft(principal: CallerPrincipal): void {
  if (principal.kind === 'user' && principal.has_access) return;
  throw forbidden('A draft is run by a signed-in user with access to the workflow');
}

function requireMayTest(
  { restrict_test_run }: AdmitNeeds,
  { principal, client }: CallRequest | ReplayRequest,
): void {
  if (client.test_run !== true || !restrict_test_run || hasAccess(principal)) return;
  throw forbidden('test_run needs a signed-in user with access to the workflow');
}

function requireMayCall(needs: AdmitNeeds, request: CallRequest | ReplayRequest): void {
  const { workflow, principal, client } = request;
  if (client.draft) requireMayRunDraft(principal);
  else requireLive(workflow);
  requireMayTest(needs, request);
}

const isTestOf = ({ test_run, draft }: Client): boolean => test_run === true || draft === true;

/** §8.1: a call that is refused after it was counted says so, too. */
function counted<Result>(limit: LimitAnswer | undefined, check: () => Result): Result {
  if (!limit) return check();
  try {
    return check();
  } catch (error) {
    if (error instanceof AppError) Object.assign(error.headers, limitHeaders(limit));
    throw error;
  }
}

/** A key that cannot be computed is none: the run shares the places of those without a value. */
function placeKeyOf({ settings }: PublishedWorkflow, input: Json, { ambient, log }: AdmitNeeds): string {
  const { concurrency_key: expression, concurrency_limit } = settings;
  if (expression === undefined || concurrency_limit === undefined) return '';
  try {
    return hashOfKey({ expression }, input, ambient) ?? '';
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    log.warn({ workflow_id: settings.id, reason: error.message }, 'the concurrency key of a run failed');
    return '';
  }
}

function admittedRun(
  needs: AdmitNeeds,
  { workflow, principal, input }: InternalRequest | CallRequest | ReplayRequest,
  { client, ...more }: Pick<AdmittedRun, 'limit' | 'cache_key' | 'idempotency'> & { client?: Client },
): AdmittedRun {
  const { limit, cache_key, idempotency } = more;
  // Written out instead of spread: every run pays for this.
  return {
    kind: 'run',
    workflow,
    principal,
    run_as: runAs(principal, workflow),
    input,
    trigger_source: sourceOf(principal, client?.trigger_source),
    test_run: client?.test_run === true,
    limit,
    cache_key,
    idempotency,
    place_key: placeKeyOf(workflow, input, needs),
    slot: undefined,
  };
}

/**
 * A call of a workflow that begins with a file: the run is that of the trigger, so it acts as the workflow's owner, and
 * no answer is cached.
 */
function admittedSlot(
  needs: AdmitNeeds,
  { workflow, principal: asked_by, client }: CallRequest,
  node_id: string,
  admission: Pick<AdmittedRun, 'limit' | 'idempotency'>,
): AdmittedRun {
  const { file_upload, quick_drawer } = TRIGGER_SOURCES;
  const source = client.trigger_source === quick_drawer ? quick_drawer : file_upload;
  const principal = { kind: 'trigger', node_id, source } as const;
  const input = { triggered_by: file_upload, trigger_node_id: node_id };
  return {
    ...admittedRun(needs, { workflow, principal, input }, { ...admission, cache_key: undefined }),
    test_run: client.test_run === true,
    slot: { asked_by, client_ip: client.ip },
  };
}

const NOTHING_APPLIES = { limit: undefined, cache_key: undefined, idempotency: undefined };

interface WithoutRun {
  readonly limit: LimitAnswer | undefined;
  readonly status: 'cached' | 'rate_limited';
  readonly outputs: JsonObject;
}

/** A call that started no run. */
function answered(
  needs: AdmitNeeds,
  { workflow, principal, input, client }: CallRequest | ReplayRequest,
  { limit, ...answer }: WithoutRun,
): Answered {
  const trigger_source = sourceOf(principal, client.trigger_source);
  const run_as = runAs(principal, workflow);
  const admission = { workflow, principal, run_as, input, trigger_source };
  return { ...admission, limit, run_id: recordWithoutRun(needs, admission, answer) };
}

async function fromCache(
  needs: AdmitNeeds,
  request: CallRequest,
  { key, limit }: { readonly key: string; readonly limit: LimitAnswer | undefined },
): Promise<AdmittedFromCache | undefined> {
  if (request.client.fresh === true && hasAccess(request.principal)) return undefined;
  const { graph_hash } = request.workflow.version;
  const answer = await readCached(needs.shared_store, { key, graph_hash }).catch((error: unknown) => {
    needs.log.warn({ err: error }, 'the response cache could not be read');
    return undefined;
  });
  if (!answer) return undefined;
  const { outputs } = answer;
  return { ...answered(needs, request, { limit, status: 'cached', outputs }), kind: 'cached', answer };
}

function rateLimited(
  needs: AdmitNeeds,
  request: CallRequest | ReplayRequest,
  limit: LimitAnswer,
): RateLimited {
  const outputs = { error: 'The rate limit of this workflow is exceeded' };
  return {
    ...answered(needs, request, { limit, status: 'rate_limited', outputs }),
    kind: 'rate_limited',
  };
}

/** In a conversation the same words can have another answer at another point. */
function cacheKeyOf({ workflow, principal, input, client }: CallRequest): string | undefined {
  const mayCache = !isTestOf(client) && principal.kind !== 'portal_visitor';
  const isCached = workflow.settings.cache_ttl_seconds > 0 && mayCache;
  return isCached ? cacheKey(workflow.settings.id, input) : undefined;
}

export function createAdmit(needs: AdmitNeeds): Admit {
  const { shared_store, access } = needs;

  return {
    async call(request) {
      const { workflow, principal, input, client } = request;
      requireMayCall(needs, request);
      const isTest = isTestOf(client);
      const counting = isTest ? undefined : countCall(shared_store, workflow, request);
      const limit = counting instanceof Promise ? await counting : counting;
      if (limit && !limit.allowed) return rateLimited(needs, request, limit);
      counted(limit, () => requireRunnable(workflow));
      const cache_key = cacheKeyOf(request);
      const hit =
        cache_key === undefined ? undefined : await fromCache(needs, request, { key: cache_key, limit });
      if (hit) return hit;
      const idempotency =
        client.idempotency_key === undefined
          ? undefined
          : counted(limit, () => idempotencyKeyOf(client.idempotency_key, input, userOf(principal)));
      const trigger = workflow.version.upload_trigger;
      // In a test run the result that is kept with the node takes the place of a file.
      if (trigger && !(isTest && trigger.pinned !== undefined))
        return admittedSlot(needs, request, trigger.id, { limit, idempotency });
      return admittedRun(needs, request, { limit, cache_key, idempotency, client });
    },
    async replay(request) {
      const { workflow, client } = request;
      requireMayCall(needs, request);
      const limit = isTestOf(client) ? undefined : await countCall(shared_store, workflow, request);
      if (limit && !limit.allowed) return rateLimited(needs, request, limit);
      counted(limit, () => requireRunnable(workflow));
      return admittedRun(needs, request, { ...NOTHING_APPLIES, limit, client });
    },
    internal(request) {
      const { workflow, principal } = request;
      if (!('run_as' in principal)) return admittedRun(needs, request, NOTHING_APPLIES);
      const settle = (isVisible: boolean): AdmittedRun => {
        if (!isVisible) throw notFound('Workflow');
        if (principal.kind === 'parent_run' || principal.kind === 'failed_trigger')
          requirePublished(workflow.version);
        else requireLive(workflow);
        return admittedRun(needs, request, NOTHING_APPLIES);
      };
      const known = access.has(workflow.settings.id, principal.run_as);
      return known instanceof Promise ? known.then(settle) : settle(known);
    },
  };
}
