import type { FastifyRequest } from 'fastify';
import { AppError, forbidden, notFound } from '../../core/app-error.ts';
import { catchUp } from '../../core/catch-up.ts';
import type { Services } from '../../core/context.ts';
import { newRunId } from '../../core/ids.ts';
import { clientIp } from '../../http/client-ip.ts';
import type { PublishedWorkflow } from '../workflows/published-workflow.ts';
import { parseBody } from './body.ts';
import { type Caller, type CallerChecks, identifyCaller } from './caller.ts';
import { type IdempotencyKey, idempotencyKeyOf } from './idempotency.ts';
import { countCall, type LimitAnswer, limitHeaders } from './rate-limit.ts';
import { type CachedAnswer, cacheKey, readCached } from './response-cache.ts';
import { type ShapedInput, shapeInput } from './run-input.ts';

interface Call extends ShapedInput {
  readonly workflow: PublishedWorkflow;
  readonly caller: Caller;
  /** Set when the workflow has a limit that applies to this call. */
  readonly limit: LimitAnswer | undefined;
}

/** What becomes of a call of an execute endpoint. */
export type Admitted =
  | (Call & {
      readonly kind: 'run';
      /** Where a success is kept; absent without a response cache. */
      readonly cache_key: string | undefined;
      readonly idempotency: IdempotencyKey | undefined;
    })
  | (Call & { readonly kind: 'cached'; readonly answer: CachedAnswer; readonly run_id: string })
  | (Call & { readonly kind: 'rate_limited'; readonly run_id: string });

export interface AdmissionRequest {
  readonly request: FastifyRequest;
  readonly workflow_id: string;
  /** Verb that the endpoint fixes, whatever the workflow is set to: streams are always POST. */
  readonly any_verb: boolean;
}

export type Admit = (asked: AdmissionRequest) => Promise<Admitted>;

/** Verbs by which browsers and proxies ask about an address; they start no run, not even a test run. */
const ASKING_VERBS = new Set(['HEAD', 'OPTIONS']);

/** §7: 405 names the configured verb. */
function requireVerb({ settings }: PublishedWorkflow, method: string): void {
  if (settings.http_method === method) return;
  throw new AppError('method_not_allowed', `This workflow is called with ${settings.http_method}`, {
    headers: { Allow: settings.http_method },
  });
}

/** A graph that no run could go through is refused here: the caller learns it at once, and no failed run is kept. */
function requireRunnable({ version }: PublishedWorkflow): void {
  const { nodes, refusal } = version.graph;
  if (nodes.length === 0)
    throw new AppError('bad_request', 'The workflow has no nodes; add at least one before it is executed');
  if (refusal) throw new AppError('bad_request', `The workflow cannot be executed. ${refusal.message}`);
}

function shape(request: FastifyRequest, workflow: PublishedWorkflow): ShapedInput {
  const carriesBody = request.method !== 'GET' && request.method !== 'DELETE';
  return shapeInput({
    method: request.method,
    headers: request.headers,
    query: request.query as Record<string, unknown>,
    body: carriesBody ? parseBody(request.body as Buffer | undefined, request.headers['content-type']) : {},
    auth_header: workflow.settings.auth_header_key,
  });
}

/** A history row of a call that started no run. */
function note(
  services: Services,
  call: Call,
  status: 'cached' | 'rate_limited',
  outputs: CachedAnswer['outputs'],
): string {
  const at_ms = services.now();
  const run_id = newRunId(at_ms);
  const { workflow, trigger_source, caller, input } = call;
  const { journal, metrics } = services.execution.environment;
  journal.note({
    run_id,
    workflow_id: workflow.settings.id,
    version_id: workflow.version.id,
    status,
    trigger_source,
    actor_id: caller.run_as,
    input,
    outputs,
    http_status: status === 'rate_limited' ? 429 : null,
    at_ms,
  });
  metrics.refused(status, trigger_source);
  return run_id;
}

/**
 * The one way into execute and stream (§4.1, §5.1, §8.1): workflow, caller, body, verb, rate limit, response cache, in
 * this order. Nothing of a body is looked at before its sender is known to be allowed in.
 */
export function createAdmission(services: Services, checks: CallerChecks): Admit {
  const { config, shared_store } = services;

  async function cached(call: Call, key: string): Promise<Admitted | undefined> {
    const { graph_hash } = call.workflow.version;
    const answer = await readCached(shared_store, { key, graph_hash }).catch((error: unknown) => {
      services.log.warn({ err: error }, 'the response cache could not be read');
      return undefined;
    });
    if (!answer) return undefined;
    return { ...call, kind: 'cached', answer, run_id: note(services, call, 'cached', answer.outputs) };
  }

  return async ({ request, workflow_id, any_verb }) => {
    const { workflows } = services.execution.environment;
    const catchingUp = catchUp(services);
    if (catchingUp) await catchingUp;
    const found = workflows.published(workflow_id);
    const workflow = found instanceof Promise ? await found : found;
    if (!workflow) throw notFound('Workflow');
    const caller = await identifyCaller(checks, request, workflow);
    if (ASKING_VERBS.has(request.method)) requireVerb(workflow, request.method);
    const shaped = shape(request, workflow);
    if (shaped.test_run) requireMayTest(config.RESTRICT_TEST_RUN, caller);
    else if (!any_verb) requireVerb(workflow, request.method);
    const limit = shaped.test_run ? undefined : await countOf(request, workflow);
    const { input, test_run, trigger_source } = shaped;
    const call: Call = { input, test_run, trigger_source, workflow, caller, limit };
    if (limit && !limit.allowed) {
      const error = 'The rate limit of this workflow is exceeded';
      return { ...call, kind: 'rate_limited', run_id: note(services, call, 'rate_limited', { error }) };
    }
    counted(limit, () => requireRunnable(workflow));
    const isCached = workflow.settings.cache_ttl_seconds > 0 && !shaped.test_run;
    const cache_key = isCached ? cacheKey(workflow.settings.id, shaped.input) : undefined;
    const hit = cache_key === undefined ? undefined : await cached(call, cache_key);
    if (hit) return hit;
    const idempotency = counted(limit, () => idempotencyKeyOf(request.headers, input, caller.user_id));
    // Not spread from `call`: every run pays for this.
    return { kind: 'run', cache_key, idempotency, input, test_run, trigger_source, workflow, caller, limit };
  };

  function countOf(request: FastifyRequest, workflow: PublishedWorkflow) {
    if (!workflow.settings.rate_limit) return undefined;
    const ip = clientIp(request.headers, request.socket.remoteAddress, config.TRUST_PROXY_HEADERS);
    return countCall(shared_store, workflow, ip);
  }
}

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

function requireMayTest(isRestricted: boolean, caller: Caller): void {
  if (!isRestricted || caller.has_access) return;
  throw forbidden('test_run needs a signed-in user with access to the workflow');
}
