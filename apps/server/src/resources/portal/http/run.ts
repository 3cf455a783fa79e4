import { type PortalCall, portalAppearance } from '@millrace/contracts';
import type { JsonObject } from '@millrace/engine';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, notFound } from '../../../core/app-error.ts';
import { requireSafeJson } from '../../../core/documents/json-limits.ts';
import type { AdmittedRun, CallRequest, RateLimited } from '../../../execution/admission/admission.ts';
import type { Called, CalledRun, CallOptions } from '../../../execution/admission/call.ts';
import type { RunBegin } from '../../../execution/model/run.ts';
import { TRIGGER_SOURCES } from '../../../execution/model/trigger-source.ts';
import { readHead } from '../../../execution/store/history/list.ts';
import { isTrue, sanitizedHeaders } from '../../../http/bodies/call-input.ts';
import type { Services } from '../../../services.ts';
import { followRun } from '../../executions/http/attach.ts';
import { plainFrame, type Reader } from '../../executions/http/event-stream.ts';
import { leftSignal } from '../../executions/http/left-signal.ts';
import { orNoPlace, respondOverLimit } from '../../executions/http/respond.ts';
import { endWhenRevoked } from '../../executions/http/revocation.ts';
import { cancelsOnDisconnect, createStreamObserver, streamRun } from '../../executions/http/stream.ts';
import type { Portal, PortalAccess, Visitor } from '../access.ts';
import type { PortalConversations } from '../conversations/service.ts';
import { requireFittingInputs } from '../input-fields.ts';
import { portalInfo } from '../service.ts';
import { visitorFrames } from './visitor-frames.ts';

export interface PortalExchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly slug: string;
  readonly client_ip: string;
}

type History = NonNullable<PortalCall['conversation_history']>;

/** The input that the run is started with (§6.2, row Portal). */
function buildInput(
  { headers, query }: FastifyRequest,
  { workflow }: Portal,
  { inputs, conversation_history }: { inputs: JsonObject; conversation_history: History },
) {
  return {
    headers: sanitizedHeaders(headers, workflow.settings.auth_header_key),
    query: { ...(query as JsonObject) },
    body: inputs,
    // There always, so that a graph may read it for the first message too.
    conversation_history,
  };
}

/** One stream as its visitor sees it; with `tokens=true` also the answer while it is written. */
function createVisitorReader({ query }: FastifyRequest, { row, workflow }: Portal): Reader {
  const appearance = portalAppearance.parse(JSON.parse(row.appearance));
  const shown = visitorFrames(workflow.version.graph, appearance);
  const { tokens } = query as { tokens?: string };
  return {
    takes_tokens: isTrue(tokens),
    write(frame) {
      const visible = shown(frame);
      return visible && plainFrame(visible);
    },
  };
}

interface Needs {
  readonly services: Services;
  readonly access: PortalAccess;
  readonly conversations: PortalConversations;
}

interface Entry {
  readonly portal: Portal;
  /**
   * Starts a run and uses it. The message of a stored conversation is kept before, under the id of the run that is to answer
   * it, and taken back when that does not start.
   */
  call<T>(options: CallOptions, use: (called: CalledRun | RateLimited) => Promise<T>): Promise<T>;
}

function requireUncached(called: Called): CalledRun | RateLimited {
  if (called.kind !== 'cached') return called;
  throw new Error('an answer of a portal came from the response cache');
}

async function enter(
  { services, access, conversations }: Needs,
  { request, slug, client_ip }: PortalExchange,
  body: PortalCall,
): Promise<Entry> {
  const portal = await access.requirePortal(slug, client_ip);
  const { principal, holder } = await access.requireVisitor(portal, request.headers);
  requireSafeJson(body, 'body');
  requireSafeJson(request.query, 'query');
  const { workflow } = portal;
  requireFittingInputs(portalInfo(portal), body.inputs);
  const { inputs, conversation_id, replaces = null } = body;
  const place = conversation_id && { workflow_id: workflow.settings.id, holder, conversation_id };
  const stored = place ? await conversations.history(place, replaces) : [];
  const conversation_history = body.conversation_history ?? stored;
  const input = buildInput(request, portal, { inputs, conversation_history });
  const call: CallRequest = { workflow, principal, input, client: { ip: client_ip } };
  return {
    portal,
    async call(options, use) {
      let kept: string | undefined;
      const prepare = async (admitted: AdmittedRun) => {
        const prepared = place ? await conversations.keep(place, admitted, body) : admitted;
        kept = prepared.run_id;
        return options.prepare?.(prepared) ?? prepared;
      };
      try {
        return await use(requireUncached(await services.execution.call(call, { ...options, prepare })));
      } catch (error) {
        if (kept !== undefined) await conversations.takeBack(kept);
        throw error;
      }
    },
  };
}

/** The equivalent of `readHead` for a run that this process executes. */
function liveHead({ workflow_id, trigger_source, version_id, options }: RunBegin) {
  const { visitor } = options;
  return { workflow_id, trigger_source, version_id, visitor: typeof visitor === 'string' ? visitor : null };
}

interface Asked {
  readonly portal: Portal;
  readonly visitor: Visitor;
  readonly execution_id: string;
}

/**
 * The run with this id if the visitor has started it in this portal, and its executor if it runs in this process. A visitor
 * without a login and a visitor token is known by nothing but the id of the run, which no other client was given.
 */
async function requireRun(services: Services, { portal: { row }, visitor, execution_id }: Asked) {
  const executor = services.execution.live.get(execution_id);
  const run = executor ? liveHead(executor.begin) : await readHead(services.database.sql, execution_id);
  if (run?.workflow_id !== row.workflow_id || run.trigger_source !== TRIGGER_SOURCES.portal)
    throw notFound('Execution');
  if (run.visitor !== null && run.visitor !== visitor.principal.visitor) throw notFound('Execution');
  return { executor, version_id: run.version_id };
}

async function execute(needs: Needs, exchange: PortalExchange, body: PortalCall): Promise<FastifyReply> {
  const { reply, request } = exchange;
  const entry = await enter(needs, exchange, body);
  const options = { left: leftSignal(reply), cancels: cancelsOnDisconnect(request) };
  return entry.call(options, async (called) => {
    if (respondOverLimit(exchange, called)) return reply;
    const answer = await called.answer();
    if (answer.status === 'cancelled') throw new AppError('conflict', 'The run was cancelled');
    const { status, outputs, execution_time_ms, http_status, run_id, workflow_id } = answer;
    return reply
      .code(http_status ?? 200)
      .header('X-Execution-Id', run_id)
      .header('Cache-Control', 'no-store')
      .send({
        workflow_id,
        status,
        outputs,
        node_results: [],
        execution_time_ms,
        execution_history_id: run_id,
      });
  });
}

async function stream(needs: Needs, exchange: PortalExchange, body: PortalCall): Promise<FastifyReply> {
  const { services, access } = needs;
  const { reply, request, slug, client_ip } = exchange;
  const entry = await enter(needs, exchange, body);
  const observer = createStreamObserver(createVisitorReader(request, entry.portal));
  const prepare = (admitted: AdmittedRun) => {
    endWhenRevoked(services, reply, async () =>
      access.requireVisitor(await access.requirePortal(slug, client_ip), request.headers),
    );
    return admitted;
  };
  return entry.call({ left: leftSignal(reply), observer, prepare }, async (called) => {
    if (!respondOverLimit(exchange, called)) await streamRun(services, exchange, { called, observer });
    return reply;
  });
}

/** Only finds runs that the visitor started in this portal. */
async function cancel(
  { services, access }: Needs,
  { request, slug, client_ip }: PortalExchange,
  execution_id: string,
): Promise<{ status: 'cancel_requested' }> {
  const portal = await access.requirePortal(slug, client_ip);
  const visitor = await access.requireVisitor(portal, request.headers);
  const { executor } = await requireRun(services, { portal, visitor, execution_id });
  executor?.cancel();
  const answer = await services.execution.ownership.requestCancel(execution_id, {});
  if (answer !== 'requested' && !executor) throw notFound('Execution');
  return { status: 'cancel_requested' };
}

/** From the beginning: a page that was reloaded or lost its connection shows the run as if it had been there. */
async function follow(
  { services, access }: Needs,
  { request, reply, slug, client_ip }: PortalExchange,
  execution_id: string,
): Promise<FastifyReply> {
  const mayFollow = async () => {
    const portal = await access.requirePortal(slug, client_ip);
    const visitor = await access.requireVisitor(portal, request.headers);
    return { portal, visitor };
  };
  const { portal, visitor } = await mayFollow();
  const { version_id } = await requireRun(services, { portal, visitor, execution_id });
  endWhenRevoked(services, reply, mayFollow);
  // Which texts are the answer is said by the graph that runs; another one may have been published since.
  const { workflows } = services.execution;
  const pinned = version_id === null ? undefined : await workflows.pinned(portal.row.workflow_id, version_id);
  const workflow = pinned ?? portal.workflow;
  const followed = {
    run_id: execution_id,
    workflow,
    reader: createVisitorReader(request, { ...portal, workflow }),
  };
  await followRun(services, { request, reply }, followed);
  return reply;
}

/** Runs of visitors: execute, stream and Stop of one portal (§3.4, §4.4). */
export function createPortalRuns(needs: Needs) {
  return {
    execute: (exchange: PortalExchange, body: PortalCall) =>
      orNoPlace(exchange, () => execute(needs, exchange, body)),
    stream: (exchange: PortalExchange, body: PortalCall) =>
      orNoPlace(exchange, () => stream(needs, exchange, body)),
    cancel: (exchange: PortalExchange, execution_id: string) => cancel(needs, exchange, execution_id),
    follow: (exchange: PortalExchange, execution_id: string) => follow(needs, exchange, execution_id),
  };
}
