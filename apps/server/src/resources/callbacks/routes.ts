import { callCallback, showCallback } from '@millrace/contracts';
import { type Json, readTextAt } from '@millrace/engine';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, notFound } from '../../core/app-error.ts';
import { tokenDigest } from '../../core/secrets/tokens.ts';
import type { FoundWait } from '../../execution/model/wait.ts';
import { sealedData } from '../../execution/run/secrets/sealed-result.ts';
import type { Binder } from '../../http/bind.ts';
import { parseBody } from '../../http/bodies/call-body.ts';
import { sanitizedHeaders } from '../../http/bodies/call-input.ts';
import { refuseEncodings } from '../../http/bodies/encodings.ts';
import type { Services } from '../../services.ts';
import { type CallbackPage, sendCallbackPage } from './http/page.ts';

const address = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');
const wantsPage = ({ headers }: FastifyRequest): boolean => headers.accept?.includes('text/html') ?? false;

const USED: CallbackPage = {
  title: 'This link is no longer valid',
  text: 'It has already been used or has expired. There is nothing more to do.',
};
const UNKNOWN: CallbackPage = {
  title: 'This link does not work',
  text: 'It may be incomplete, or its workflow was deleted.',
};
const THANKS: CallbackPage = {
  title: 'Thank you',
  text: 'Your answer has arrived. You can close this page.',
};

/** The wait of the address, which is all that the caller has to show. Other kinds of waits have doors of their own. */
async function findWait({ execution }: Services, request: FastifyRequest): Promise<FoundWait | undefined> {
  const { token } = request.params as { token: string };
  const wait = await execution.ownership.findWait(tokenDigest(token));
  return wait?.kind === 'callback' ? wait : undefined;
}

function refuseUnknown(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (wantsPage(request)) return sendCallbackPage(reply, 404, UNKNOWN);
  throw notFound('Callback');
}

function showWait(reply: FastifyReply, wait: FoundWait): FastifyReply {
  if (wait.is_decided) return sendCallbackPage(reply, 410, USED);
  const title = readTextAt(wait.payload, 'title') || 'Confirm';
  const text = readTextAt(wait.payload, 'message') || 'Press the button to continue.';
  return sendCallbackPage(reply, 200, { title, text, button: 'Confirm' });
}

function refuseUsed(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (wantsPage(request)) return sendCallbackPage(reply, 410, USED);
  throw new AppError('gone', 'This callback has already been called or has expired');
}

async function decide(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const wait = await findWait(services, request);
  if (!wait) return refuseUnknown(request, reply);
  if (wait.is_decided) return refuseUsed(request, reply);
  const body = parseBody(request.body as Buffer | undefined, request.headers['content-type']);
  const data = {
    method: request.method,
    body,
    query: request.query as Record<string, Json>,
    headers: sanitizedHeaders(request.headers, undefined),
  };
  const { run_id, node_id, iteration, key } = wait;
  const decision = { node_id, iteration, key, decision: 'called', data: sealedData(services, data) };
  const outcome = await services.execution.ownership.resume(run_id, decision);
  if (outcome !== 'resumed') return refuseUsed(request, reply);
  return wantsPage(request) ? sendCallbackPage(reply, 200, THANKS) : reply.send({ status: 'accepted' });
}

/** One-time addresses of waits. Whether there is a wait is asked before the body is read. */
export async function bindCallbacks({ app, services }: Binder): Promise<void> {
  await app.register((scope, _options, done) => {
    refuseEncodings(scope, 'none');
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, parsed) => parsed(null, body));
    scope.route({
      method: 'GET',
      url: address(showCallback.path),
      config: { endpoint_id: showCallback.id },
      handler: async (request, reply) => {
        const wait = await findWait(services, request);
        return wait ? showWait(reply, wait) : refuseUnknown(request, reply);
      },
    });
    scope.route({
      method: 'POST',
      url: address(callCallback.path),
      bodyLimit: callCallback.body_limit,
      config: { endpoint_id: callCallback.id },
      onRequest: async (request, reply) => {
        if (!(await findWait(services, request))) return refuseUnknown(request, reply);
      },
      handler: (request, reply) => decide(services, request, reply),
    });
    done();
  });
}
