import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import { allEndpoints } from '@millrace/contracts';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Services } from './core/context.ts';
import { newId } from './core/ids.ts';
import { createBinder } from './http/bind.ts';
import { installJsonBodies, refuseEncodedBodies } from './http/bodies/json-bodies.ts';
import { installLingeringClose } from './http/bodies/lingering-close.ts';
import { installDocumentation } from './http/documentation.ts';
import { installErrorHandling, installNotFound } from './http/errors.ts';
import { installHealth } from './http/health.ts';
import { installSecurityHeaders } from './http/security-headers.ts';
import { createAuthenticate } from './http/session.ts';
import { type Telemetry, traceRequests } from './http/telemetry.ts';
import { answerUnreadable, answerUnroutable } from './http/unroutable.ts';
import { createVerbs } from './http/verbs.ts';
import { installWebApp, isPageRequest } from './http/web-app.ts';
import { recordForbidden } from './resources/audit/watch.ts';
import { bindResources } from './resources/index.ts';

export interface AppOptions {
  readonly services: Services;
  /** Parse answers against the contract; on in tests. */
  readonly checkResponses?: boolean;
  readonly telemetry?: Telemetry | undefined;
}

const MEGABYTE = 1024 * 1024;

/** The HTTP application without a port: tests inject requests, `main.ts` listens. */
export async function createApp({
  services,
  checkResponses = false,
  telemetry,
}: AppOptions): Promise<FastifyInstance> {
  const { config } = services;
  const loggerInstance: FastifyBaseLogger = services.log;
  const app: FastifyInstance = Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: config.REQUEST_BODY_MAX_SIZE_MB * MEGABYTE,
    genReqId: () => newId(),
    routerOptions: { maxParamLength: 512 },
    forceCloseConnections: 'idle',
    frameworkErrors: answerUnroutable,
    clientErrorHandler: answerUnreadable,
  });
  installErrorHandling(app);
  installJsonBodies(app);
  refuseEncodedBodies(app);
  installSecurityHeaders(app);
  installLingeringClose(app);
  if (telemetry) traceRequests(app, telemetry);
  await app.register(cookie);
  await app.register(formbody);
  installHealth(app, services);
  await installDocumentation(app);
  const binder = createBinder(app, {
    services,
    authenticate: createAuthenticate(services),
    onForbidden: recordForbidden,
    checkResponses,
  });
  await bindResources(app, binder);
  installNotFound(app, {
    isPage: isPageRequest,
    page: await installWebApp(app),
    verbsOf: createVerbs(allEndpoints),
  });
  return app;
}
