import { attachToExecution, executeWorkflow, streamWorkflow } from '@millrace/contracts';
import type { FastifyInstance } from 'fastify';
import { invalidField } from '../../core/app-error.ts';
import type { Services } from '../../core/context.ts';
import { isUuid } from '../../core/ids.ts';
import { createAdmission } from '../../execution/admission/admit.ts';
import type { CallerChecks } from '../../execution/admission/caller.ts';
import { createSessionLookup } from '../../http/session.ts';
import { verifyExecutionToken } from '../execution-tokens/verify.ts';
import { createAttachHandler } from './attach-http.ts';
import { createExecuteHandler } from './execute-http.ts';
import { createStreamHandler } from './stream-http.ts';

const address = (path: string): string => path.replace(/\{(\w+)\}/g, ':$1');

function callerChecks(services: Services): CallerChecks {
  return {
    authenticate: createSessionLookup(services),
    verifyToken: (token, workflow_id) => verifyExecutionToken(services, token, workflow_id),
    hasAccess: (workflow_id, user_id) => services.execution.environment.access.has(workflow_id, user_id),
  };
}

/**
 * The routes that are written by hand: execute answers any verb, and bodies are read only after the caller is known, so
 * they come as bytes whatever their type.
 */
export async function installExecuteRoutes(app: FastifyInstance, services: Services): Promise<void> {
  const checks = callerChecks(services);
  const admit = createAdmission(services, checks);
  await app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers();
    // The common type by name: the catch-all has to take the header of every request apart first.
    for (const type of ['application/json', '*']) {
      scope.addContentTypeParser(type, { parseAs: 'buffer' }, (_request, body, parsed) => parsed(null, body));
    }
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
      handler: createExecuteHandler(services, admit),
    });
    scope.route({
      method: 'POST',
      url: address(streamWorkflow.path),
      config: { endpoint_id: streamWorkflow.id },
      handler: createStreamHandler(services, admit, checks),
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
