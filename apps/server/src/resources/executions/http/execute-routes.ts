import { attachToExecution, executeWorkflow, streamWorkflow } from '@millrace/contracts';
import { invalidField } from '../../../core/app-error.ts';
import { isUuid } from '../../../core/ids.ts';
import type { Binder } from '../../../http/bind.ts';
import { isFromOtherSite } from '../../../http/callers/own-site.ts';
import { createSessionLookup } from '../../../http/callers/session.ts';
import type { Services } from '../../../services.ts';
import { verifyExecutionToken } from '../../execution-tokens/verify.ts';
import { createAttachHandler } from './attach.ts';
import { createReadCall } from './call.ts';
import { createExecuteHandler } from './execute.ts';
import type { CallerChecks } from './identify.ts';
import { orNoPlace } from './respond.ts';
import { createStreamHandler } from './stream.ts';

const address = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');

function callerChecks(services: Services): CallerChecks {
  return {
    authenticate: createSessionLookup(services),
    verifyToken: (token, workflow_id) => verifyExecutionToken(services, token, workflow_id),
    isFromOtherSite: (headers) => isFromOtherSite(headers, services.config),
    hasAccess: (workflow_id, user_id) => services.execution.access.has(workflow_id, user_id),
  };
}

/** The routes that are written by hand: execute answers any verb, and takes bodies of any type. */
export async function installExecuteRoutes({
  app,
  services,
  clientAddress,
  readBody,
}: Binder): Promise<void> {
  const checks = callerChecks(services);
  const readCall = createReadCall(services, { checks, clientAddress, readBody });
  const execute = createExecuteHandler(services, readCall);
  const stream = createStreamHandler(services, readCall, checks);
  await app.register((scope, _options, done) => {
    scope.addHook('onRequest', (request, _reply, next) => {
      const params = request.params as Record<string, string>;
      for (const name in params) {
        if (!isUuid(params[name] ?? '')) return next(invalidField(['path', name], 'must be a UUID', 'uuid'));
      }
      return next();
    });
    scope.route({
      method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url: address(executeWorkflow.path),
      exposeHeadRoute: false,
      config: { endpoint_id: executeWorkflow.id },
      handler: (request, reply) => orNoPlace({ request, reply }, () => execute(request, reply)),
    });
    scope.route({
      method: 'POST',
      url: address(streamWorkflow.path),
      config: { endpoint_id: streamWorkflow.id },
      handler: (request, reply) => orNoPlace({ request, reply }, () => stream(request, reply)),
    });
    scope.route({
      method: 'GET',
      url: address(attachToExecution.path),
      exposeHeadRoute: false,
      config: { endpoint_id: attachToExecution.id },
      handler: createAttachHandler(services, checks),
    });
    done();
  });
}
