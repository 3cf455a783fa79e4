import { isJsonObject, type Json } from '@millrace/engine';
import { MEGABYTE } from '@millrace/engine/units';
import type { FastifyRequest } from 'fastify';
import { AppError, invalidField, notFound } from '../../../core/app-error.ts';
import { catchUp } from '../../../core/catch-up.ts';
import type { CallRequest } from '../../../execution/admission/admission.ts';
import type { CallerPrincipal } from '../../../execution/admission/principal.ts';
import type { PublishedWorkflow } from '../../../execution/workflows/published-workflow.ts';
import { parseBody } from '../../../http/bodies/call-body.ts';
import { isBodyless, isTrue, type ShapedInput, shapeInput } from '../../../http/bodies/call-input.ts';
import type { HttpExchange, ReadBody } from '../../../http/bodies/read-body.ts';
import type { ClientAddress } from '../../../http/callers/client-ip.ts';
import { mayBeLink } from '../../../http/callers/own-site.ts';
import type { Services } from '../../../services.ts';
import { type CallerChecks, identifyCaller } from './identify.ts';

/** Reads a request of an execute endpoint as a call that admission understands (§4.1, §5.1). */
export type ReadCall = (http: HttpExchange, options: { readonly any_verb: boolean }) => Promise<CallRequest>;

/** Verbs by which browsers and proxies ask about an address; they start no run, not even a test run. */
const ASKING_VERBS = new Set(['HEAD', 'OPTIONS']);

/** §7: 405 names the configured verb. */
function requireVerb({ settings }: PublishedWorkflow, method: string): void {
  if (settings.http_method === method) return;
  throw new AppError('method_not_allowed', `This workflow is called with ${settings.http_method}`, {
    headers: { Allow: settings.http_method },
  });
}

/** §4.1: a stream takes what execute takes, although its method is always POST. */
const isQueryStream = ({ http_method }: PublishedWorkflow['settings'], body: Json): boolean =>
  isBodyless(http_method) && isJsonObject(body) && Object.keys(body).length === 0;

function shape(
  { method, headers, query }: FastifyRequest,
  { settings }: PublishedWorkflow,
  { bytes, is_stream }: { bytes: Buffer; is_stream: boolean },
): ShapedInput {
  const body = parseBody(bytes, headers['content-type']);
  const auth_header = settings.auth_header_key;
  return shapeInput({
    method: is_stream && isQueryStream(settings, body) ? settings.http_method : method,
    headers,
    query: query as Record<string, unknown>,
    body,
    auth_header,
    is_stream,
  });
}

const NO_BODY = Buffer.alloc(0);

/** A header and not a query parameter: those are inputs of the run (§4.1 rule 3). */
const RUN_DRAFT = 'x-run-draft';
const RUN_UNTIL = 'x-run-until';

/** Ids of nodes are any text, and headers are not. */
function readUntil({ [RUN_UNTIL]: header }: FastifyRequest['headers']): string | undefined {
  if (header === undefined) return undefined;
  try {
    return decodeURIComponent(String(header));
  } catch {
    throw invalidField(['header', 'X-Run-Until'], 'must be the percent-encoded id of a node');
  }
}

interface ReadCallOptions {
  readonly checks: CallerChecks;
  readonly clientAddress: ClientAddress;
  readonly readBody: ReadBody;
}

/**
 * Workflow, caller, body, verb, in this order: a body is read only when its sender is allowed in.
 *
 * `any_verb` is for endpoints whose method is fixed, regardless of the workflow's setting: streams are always POST.
 */
export function createReadCall(
  services: Services,
  { checks, clientAddress, readBody }: ReadCallOptions,
): ReadCall {
  const { workflows } = services.execution;
  const max_bytes = services.config.REQUEST_BODY_MAX_SIZE_MB * MEGABYTE;

  /** Admission refuses all other callers, and needs no draft for that. */
  async function loadDraft(
    published: PublishedWorkflow,
    principal: CallerPrincipal,
  ): Promise<PublishedWorkflow> {
    if (principal.kind !== 'user' || !principal.has_access) return published;
    const workflow = await workflows.draft(published.settings.id);
    if (!workflow) throw notFound('Workflow');
    return workflow;
  }

  return async (http, { any_verb }) => {
    const { request } = http;
    const { workflow_id } = request.params as { workflow_id: string };
    const catchingUp = catchUp(services);
    if (catchingUp) await catchingUp;
    const found = workflows.published(workflow_id.toLowerCase());
    const workflow = found instanceof Promise ? await found : found;
    if (!workflow) throw notFound('Workflow');
    const principal = await identifyCaller(checks, request, workflow);
    if (ASKING_VERBS.has(request.method)) requireVerb(workflow, request.method);
    const bytes = isBodyless(request.method) ? NO_BODY : await readBody(http, max_bytes);
    const draft = isTrue(request.headers[RUN_DRAFT]);
    const { input, test_run, trigger_source } = shape(request, workflow, { bytes, is_stream: any_verb });
    // A link leads a browser anywhere with the session of its person; to try a run out is never a link.
    const tries_out = (test_run || draft) && (request.method === 'POST' || !mayBeLink(request.headers));
    if (!tries_out && !any_verb) requireVerb(workflow, request.method);
    const ip = clientAddress(request.headers, request.socket.remoteAddress);
    const idempotency_key = request.headers['idempotency-key'];
    const fresh = request.headers['cache-control'] === 'no-cache';
    const until = readUntil(request.headers);
    const client = { ip, trigger_source, test_run, fresh, draft, until, idempotency_key };
    return { workflow: draft ? await loadDraft(workflow, principal) : workflow, principal, input, client };
  };
}
