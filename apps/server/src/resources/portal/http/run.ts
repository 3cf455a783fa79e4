import { type PortalCall, portalAppearance } from '@millrace/contracts';
import type { JsonObject } from '@millrace/engine';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, notFound } from '../../../core/app-error.ts';
import { requireSafeJson } from '../../../core/documents/json-limits.ts';
import type {
  Admitted,
  AdmittedRun,
  CallRequest,
  RateLimited,
} from '../../../execution/admission/admission.ts';
import { limitHeaders } from '../../../execution/admission/rate-limit.ts';
import { runRefusal } from '../../../execution/admission/start/start-admitted.ts';
import type { RunAnswer, RunBegin } from '../../../execution/model/run.ts';
import { TRIGGER_SOURCES } from '../../../execution/model/trigger-source.ts';
import { readHead } from '../../../execution/store/history/list.ts';
import { isTrue, sanitizedHeaders } from '../../../http/bodies/call-input.ts';
import type { Services } from '../../../services.ts';
import { followRun } from '../../executions/http/attach.ts';
import { plainFrame, type Reader } from '../../executions/http/event-stream.ts';
import { leftSignal } from '../../executions/http/left-signal.ts';
import { orNoPlace, respondRateLimited } from '../../executions/http/respond.ts';
import { endWhenRevoked } from '../../executions/http/revocation.ts';
import { cancelsOnDisconnect, streamRun } from '../../executions/http/stream.ts';
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

type Started = { readonly portal: Portal; readonly admitted: AdmittedRun | RateLimited };

function requireUncached(admitted: Admitted): AdmittedRun | RateLimited {
  if (admitted.kind !== 'cached') return admitted;
  throw new Error('an answer of a portal came from the response cache');
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

/** Admits a call. The message of a stored conversation is kept by then, under the id of the run that is to answer it. */
async function enter(
  { services, access, conversations }: Needs,
  { request, slug, client_ip }: PortalExchange,
  body: PortalCall,
): Promise<Started> {
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
  const call: CallRequest = {
    workflow,
    principal,
    input: buildInput(request, portal, { inputs, conversation_history }),
    client: { ip: client_ip },
  };
  const admitted = requireUncached(await services.execution.admit.call(call));
  if (!place || admitted.kind === 'rate_limited') return { portal, admitted };
  return { portal, admitted: await conversations.keep(place, admitted, body) };
}

/** Takes the kept message back when its run does not start. */
async function started<T>({ conversations }: Needs, { run_id }: AdmittedRun, start: Promise<T>): Promise<T> {
  try {
    return await start;
  } catch (error) {
    if (run_id !== undefined) await conversations.takeBack(run_id);
    throw error;
  }
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

async function awaitAnswer(
  { start }: Services['execution'],
  admitted: AdmittedRun,
  { request, reply }: PortalExchange,
): Promise<RunAnswer> {
  if (!cancelsOnDisconnect(request)) return (await start.answer(admitted, leftSignal(reply))).answer;
  try {
    const unseen = { frame: () => undefined, closed: () => undefined };
    const handle = await start.observed(admitted, leftSignal(reply), unseen);
    const cancel = () => handle.cancel();
    reply.raw.once('close', cancel);
    if (reply.raw.destroyed) cancel();
    // Nodes behind an early answer still run when the connection closes.
    return await handle.answered.finally(() => reply.raw.off('close', cancel));
  } catch (error) {
    throw runRefusal(error);
  }
}

async function execute(needs: Needs, exchange: PortalExchange, body: PortalCall): Promise<FastifyReply> {
  const { reply, request } = exchange;
  const { admitted } = await enter(needs, exchange, body);
  const workflow_id = admitted.workflow.settings.id;
  if (admitted.limit) reply.headers(limitHeaders(admitted.limit));
  if (admitted.kind === 'rate_limited')
    return respondRateLimited(reply, workflow_id, { request_id: request.id });
  const answer = await started(needs, admitted, awaitAnswer(needs.services.execution, admitted, exchange));
  if (answer.status === 'cancelled') throw new AppError('conflict', 'The run was cancelled');
  const { status, outputs, execution_time_ms, http_status, run_id } = answer;
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
}

async function stream(needs: Needs, exchange: PortalExchange, body: PortalCall): Promise<FastifyReply> {
  const { services, access } = needs;
  const { reply, request, slug, client_ip } = exchange;
  const { admitted, portal } = await enter(needs, exchange, body);
  const headers = admitted.limit ? limitHeaders(admitted.limit) : {};
  reply.headers(headers);
  if (admitted.kind === 'rate_limited')
    return respondRateLimited(reply, admitted.workflow.settings.id, { request_id: request.id });
  endWhenRevoked(services, reply, async () =>
    access.requireVisitor(await access.requirePortal(slug, client_ip), request.headers),
  );
  const shown = { admitted, headers, reader: createVisitorReader(request, portal) };
  await started(needs, admitted, streamRun(services, { request, reply }, shown));
  return reply;
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
