import type { PortalCall } from '@millrace/contracts';
import type { JsonObject } from '@millrace/engine';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, notFound } from '../../../core/app-error.ts';
import { bearerToken } from '../../../core/bearer.ts';
import type { Admitted, AdmittedRun, CallRequest, RateLimited } from '../../../execution/admission/admit.ts';
import { requireSafeJson } from '../../../execution/admission/body-limits.ts';
import { limitHeaders } from '../../../execution/admission/rate-limit.ts';
import { sanitizedHeaders } from '../../../execution/admission/run-input.ts';
import type { Services } from '../../../execution/context.ts';
import { readHead } from '../../../execution/store/history/list.ts';
import { TRIGGER_SOURCES } from '../../../execution/trigger-source.ts';
import { plainFrame } from '../../executions/http/event-stream.ts';
import { leftSignal } from '../../executions/http/left-signal.ts';
import { respondRateLimited } from '../../executions/http/respond.ts';
import { endWhenRevoked } from '../../executions/http/revocation.ts';
import { streamRun } from '../../executions/http/stream.ts';
import type { Portal, PortalAccess } from '../access.ts';
import { visitorFrames } from './visitor-frames.ts';

export interface PortalExchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly slug: string;
  readonly client_ip: string;
}

const tokenOf = ({ headers }: FastifyRequest) => bearerToken(headers.authorization);

/** What the run is started with (§6.2, row Portal). */
function inputOf({ headers, query }: FastifyRequest, { workflow }: Portal, body: PortalCall) {
  requireSafeJson(body, 'body');
  requireSafeJson(query, 'query');
  return {
    headers: sanitizedHeaders(headers, workflow.settings.auth_header_key),
    query: { ...(query as JsonObject) },
    body: body.inputs,
    // There always, so that a graph may read it for the first message too.
    conversation_history: body.conversation_history ?? [],
  };
}

type Started = { readonly portal: Portal; readonly admitted: AdmittedRun | RateLimited };

function requireUncached(admitted: Admitted): AdmittedRun | RateLimited {
  if (admitted.kind !== 'cached') return admitted;
  throw new Error('an answer of a portal came from the response cache');
}

/** Runs of visitors: execute, stream and Stop of one portal (§3.4, §4.4). */
export function createPortalRuns(services: Services, access: PortalAccess) {
  const { admit, start, environment } = services.execution;

  async function enter({ request, slug, client_ip }: PortalExchange, body: PortalCall): Promise<Started> {
    const portal = await access.requirePortal(slug, client_ip);
    const principal = await access.requireVisitor(portal, tokenOf(request));
    const { workflow } = portal;
    const call: CallRequest = {
      workflow,
      principal,
      input: inputOf(request, portal, body),
      client: { ip: client_ip },
    };
    return { portal, admitted: requireUncached(await admit.call(call)) };
  }

  return {
    async execute(exchange: PortalExchange, body: PortalCall): Promise<FastifyReply> {
      const { reply, request } = exchange;
      const { admitted } = await enter(exchange, body);
      const workflow_id = admitted.workflow.settings.id;
      if (admitted.limit) reply.headers(limitHeaders(admitted.limit));
      if (admitted.kind === 'rate_limited') return respondRateLimited(reply, workflow_id, request.id);
      const { answer } = await start.answer(admitted, leftSignal(reply));
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
    },

    async stream(exchange: PortalExchange, body: PortalCall): Promise<FastifyReply> {
      const { reply, request, slug, client_ip } = exchange;
      const { admitted } = await enter(exchange, body);
      const headers = admitted.limit ? limitHeaders(admitted.limit) : {};
      reply.headers(headers);
      if (admitted.kind === 'rate_limited')
        return respondRateLimited(reply, admitted.workflow.settings.id, request.id);
      endWhenRevoked(services, reply, async () =>
        access.requireVisitor(await access.requirePortal(slug, client_ip), tokenOf(request)),
      );
      const shown = visitorFrames();
      const write = (frame: Parameters<typeof shown>[0]) => {
        const visible = shown(frame);
        return visible && plainFrame(visible);
      };
      await streamRun(services, { request, reply }, { admitted, headers, write });
      return reply;
    },

    /** Reaches only runs that this portal has started. */
    async cancel(
      { request, slug, client_ip }: PortalExchange,
      execution_id: string,
    ): Promise<{ status: 'cancel_requested' }> {
      const portal = await access.requirePortal(slug, client_ip);
      await access.requireVisitor(portal, tokenOf(request));
      const executor = environment.live.get(execution_id);
      const run = executor?.begin ?? (await readHead(services.database.sql, execution_id));
      if (run?.workflow_id !== portal.row.workflow_id || run.trigger_source !== TRIGGER_SOURCES.portal)
        throw notFound('Execution');
      executor?.cancel();
      const answer = await environment.ownership.requestCancel(execution_id, {});
      if (answer !== 'requested' && !executor) throw notFound('Execution');
      return { status: 'cancel_requested' };
    },
  };
}
