import {
  type Ambient,
  ExpressionError,
  isJsonObject,
  type Json,
  type JsonObject,
  nodesUpTo,
  readInputs,
} from '@millrace/engine';
import { AppError, conflict, forbidden, invalidField, notFound } from '../../core/app-error.ts';
import type { SharedStore } from '../../ports/coordination/shared-store.ts';
import type { HttpInput } from '../model/http-input.ts';
import { TRIGGER_SOURCES } from '../model/trigger-source.ts';
import { hashOfKey } from '../run/start/key-hash.ts';
import type { AccessCache } from '../workflows/access-cache.ts';
import type { PublishedWorkflow } from '../workflows/published-workflow.ts';
import type {
  Admit,
  AdmittedFromCache,
  AdmittedRun,
  Answered,
  CallRequest,
  Client,
  InternalRequest,
  RateLimited,
  ReplayRequest,
} from './admission.ts';
import { readIdempotencyKey } from './idempotency.ts';
import { type CallerPrincipal, getUserId, hasAccess, resolveSource, runAs } from './principal.ts';
import { countCall, type LimitAnswer, withLimit } from './rate-limit.ts';
import { type RefusalNeeds, recordWithoutRun } from './record-refusal.ts';
import { cacheKey, readCached } from './response-cache.ts';

export interface AdmitNeeds extends RefusalNeeds {
  readonly access: AccessCache;
  readonly ambient: Ambient;
  readonly shared_store: SharedStore;
  /** Setting `RESTRICT_TEST_RUN`. */
  readonly restrict_test_run: boolean;
}

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

/** A part of a workflow is run to try it while it is built. */
function requireReachable({ workflow, client: { draft, until } }: CallRequest | ReplayRequest): void {
  if (until === undefined) return;
  const place = ['header', 'X-Run-Until'];
  if (!draft) throw invalidField(place, 'needs the header X-Run-Draft: true as well');
  const { graph } = workflow.version;
  const node = graph.nodes[graph.indexOf(until)];
  if (!node) throw invalidField(place, 'must be the id of a node of the draft');
  if (!node.active) throw invalidField(place, `"${node.label}" is switched off`);
  if (node.flow !== 'main')
    throw invalidField(place, `"${node.label}" is not reached from the start of the workflow`);
}

/** Whether the call runs the node; one that ends at another node may not. */
function leadsToEnd({ workflow, client: { until } }: CallRequest, node_id: string): boolean {
  if (until === undefined) return true;
  const { graph } = workflow.version;
  return nodesUpTo(graph, graph.indexOf(until)).has(graph.indexOf(node_id));
}

/** Everything that a call with the same key must ask for as well. */
const pickWanted = ({ input, client: { draft, until } }: CallRequest) => ({
  ...input,
  ...(draft ? { draft: { until } } : {}),
});

function requireMayCall(needs: AdmitNeeds, request: CallRequest | ReplayRequest): void {
  const { workflow, principal, client } = request;
  if (client.draft) requireMayRunDraft(principal);
  else requireLive(workflow);
  requireMayTest(needs, request);
  requireReachable(request);
}

const isTestCall = ({ test_run, draft }: Client): boolean => test_run === true || draft === true;

/** Refuses values that do not match their fields before a run exists. The start node applies the same rule. */
function requireTypedInputs({ version: { typed_inputs } }: PublishedWorkflow, { body }: HttpInput): void {
  if (typed_inputs.length === 0) return;
  const read = readInputs(typed_inputs, isJsonObject(body) ? body : {});
  if ('problem' in read) throw invalidField(['body', read.key], read.problem);
}

/** A key that cannot be computed is none: the run shares the places of those without a value. */
function computePlaceKey({ settings }: PublishedWorkflow, input: Json, { ambient, log }: AdmitNeeds): string {
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
    trigger_source: resolveSource(principal, client?.trigger_source),
    test_run: client?.test_run === true,
    until: client?.until,
    limit,
    cache_key,
    idempotency,
    place_key: computePlaceKey(workflow, input, needs),
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
    until: client.until,
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
  const trigger_source = resolveSource(principal, client.trigger_source);
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
function buildCacheKey({ workflow, principal, input, client }: CallRequest): string | undefined {
  const mayCache = !isTestCall(client) && principal.kind !== 'portal_visitor';
  const isCached = workflow.settings.cache_ttl_seconds > 0 && mayCache;
  return isCached ? cacheKey(workflow.settings.id, input) : undefined;
}

export function createAdmit(needs: AdmitNeeds): Admit {
  const { shared_store, access } = needs;

  return {
    async call(request) {
      const { workflow, principal, input, client } = request;
      requireMayCall(needs, request);
      const isTest = isTestCall(client);
      const counting = isTest ? undefined : countCall(shared_store, workflow, request);
      const limit = counting instanceof Promise ? await counting : counting;
      if (limit && !limit.allowed) return rateLimited(needs, request, limit);
      try {
        requireRunnable(workflow);
        requireTypedInputs(workflow, input);
        const cache_key = buildCacheKey(request);
        const hit =
          cache_key === undefined ? undefined : await fromCache(needs, request, { key: cache_key, limit });
        if (hit) return hit;
        const idempotency =
          client.idempotency_key === undefined
            ? undefined
            : readIdempotencyKey(client.idempotency_key, pickWanted(request), getUserId(principal));
        const trigger = workflow.version.upload_trigger;
        // In a test run the result that is kept with the node takes the place of a file.
        if (trigger && !(isTest && trigger.pinned !== undefined) && leadsToEnd(request, trigger.id))
          return admittedSlot(needs, request, trigger.id, { limit, idempotency });
        return admittedRun(needs, request, { limit, cache_key, idempotency, client });
      } catch (error) {
        throw withLimit(error, limit);
      }
    },
    async replay(request) {
      const { workflow, client } = request;
      requireMayCall(needs, request);
      const limit = isTestCall(client) ? undefined : await countCall(shared_store, workflow, request);
      if (limit && !limit.allowed) return rateLimited(needs, request, limit);
      try {
        requireRunnable(workflow);
        return admittedRun(needs, request, { ...NOTHING_APPLIES, limit, client });
      } catch (error) {
        throw withLimit(error, limit);
      }
    },
    internal(request) {
      const { workflow, principal } = request;
      if (!('run_as' in principal)) return admittedRun(needs, request, NOTHING_APPLIES);
      const settle = (isVisible: boolean): AdmittedRun => {
        if (!isVisible) throw notFound('Workflow');
        if (principal.kind === 'parent_run' || principal.kind === 'failed_trigger')
          requirePublished(workflow.version);
        // A draft is tried out, whether or not the workflow is switched on.
        else if (principal.kind !== 'eval') requireLive(workflow);
        return admittedRun(needs, request, NOTHING_APPLIES);
      };
      const known = access.has(workflow.settings.id, principal.run_as);
      return known instanceof Promise ? known.then(settle) : settle(known);
    },
  };
}
