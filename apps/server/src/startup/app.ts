import cookie from '@fastify/cookie';
import { allEndpoints } from '@millrace/contracts';
import { MEGABYTE } from '@millrace/engine/units';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Config } from '../config.ts';
import { newId } from '../core/ids.ts';
import { createBinder } from '../http/bind.ts';
import { refuseEncodings } from '../http/bodies/encodings.ts';
import { leaveBodiesUnread } from '../http/bodies/json-bodies.ts';
import { installLingeringClose } from '../http/bodies/lingering-close.ts';
import { createBodyBudget, createReadBody } from '../http/bodies/read-body.ts';
import { openUploads } from '../http/bodies/uploads.ts';
import { createClientAddress } from '../http/callers/client-ip.ts';
import { installCors } from '../http/callers/cors.ts';
import { createAuthenticate } from '../http/callers/session.ts';
import { installDocumentation } from '../http/documentation.ts';
import { installErrorHandling, installNotFound } from '../http/errors.ts';
import { installHealth } from '../http/health.ts';
import { installSecurityHeaders } from '../http/security-headers.ts';
import { type Telemetry, traceRequests } from '../http/telemetry.ts';
import { answerUnreadable, answerUnroutable, refuseCutDeletes } from '../http/unroutable.ts';
import { createVerbs } from '../http/verbs.ts';
import { type AllowedOrigins, installWebApp, isPageRequest } from '../http/web-app.ts';
import { recordForbidden } from '../resources/audit/http/watch.ts';
import { bindResources } from '../resources/index.ts';
import { createPortalAccess } from '../resources/portal/access.ts';
import type { Services } from '../services.ts';
import { bindListening } from '../triggers/listening/routes.ts';
import { bindWebhooks } from '../triggers/webhooks/routes.ts';

export interface AppOptions {
  readonly services: Services;
  /** Parse answers against the contract; on in tests. */
  readonly checkResponses?: boolean;
  readonly telemetry?: Telemetry | undefined;
}

/** One body always fits. */
const computeBodyBudget = (config: Config): number =>
  Math.max(config.REQUEST_BODIES_MAX_SIZE_MB, config.REQUEST_BODY_MAX_SIZE_MB) * MEGABYTE;

/** How often unfinished requests are looked at, per timeout. */
const LOOKS_PER_TIMEOUT = 4;
const LONGEST_LOOK_MS = 10_000;

/** Head and body of a request have to arrive within their time, or the connection is answered 408 and closed. */
function computeTimeouts({ REQUEST_TIMEOUT_SECONDS, HEADER_TIMEOUT_SECONDS }: Config) {
  const headersTimeout = Math.min(HEADER_TIMEOUT_SECONDS, REQUEST_TIMEOUT_SECONDS) * 1000;
  const connectionsCheckingInterval = Math.min(LONGEST_LOOK_MS, headersTimeout / LOOKS_PER_TIMEOUT);
  return { headersTimeout, connectionsCheckingInterval };
}

const refuseSchemas = () => () => () => {
  throw new Error('routes are checked by their contracts, not by schemas of Fastify');
};
/** Fastify would load its own validators and serializers, 150 modules, for which nothing here has a schema. */
const NO_SCHEMAS = { compilersFactory: { buildValidator: refuseSchemas, buildSerializer: refuseSchemas } };

/** The HTTP application without a port: tests inject requests, `main.ts` listens. */
export async function createApp({
  services,
  checkResponses = false,
  telemetry,
}: AppOptions): Promise<FastifyInstance> {
  const { config } = services;
  const { log } = services;
  // `serve.ts` says once and for every address what Fastify itself has to say at `info`: that it listens.
  const loggerInstance: FastifyBaseLogger = log.child(
    {},
    log.isLevelEnabled('info') ? { level: 'warn' } : {},
  );
  const app: FastifyInstance = Fastify({
    loggerInstance,
    schemaController: NO_SCHEMAS,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: config.REQUEST_BODY_MAX_SIZE_MB * MEGABYTE,
    requestTimeout: config.REQUEST_TIMEOUT_SECONDS * 1000,
    http: computeTimeouts(config),
    genReqId: () => newId(),
    routerOptions: { maxParamLength: 512, ignoreTrailingSlash: true },
    forceCloseConnections: 'idle',
    frameworkErrors: answerUnroutable,
    clientErrorHandler: answerUnreadable,
  });
  installErrorHandling(app);
  refuseCutDeletes(app);
  leaveBodiesUnread(app);
  installSecurityHeaders(app);
  await installCors(app, config);
  refuseEncodings(app, 'unpacked');
  installLingeringClose(app);
  if (telemetry) traceRequests(app, telemetry);
  await app.register(cookie);
  installHealth(app, services);
  installDocumentation(app);
  const clientAddress = createClientAddress(config.TRUST_PROXY_HEADERS);
  const binder = createBinder(app, {
    services,
    ...(await openUploads(app)),
    authenticate: createAuthenticate(services),
    readBody: createReadBody(createBodyBudget(computeBodyBudget(config))),
    clientAddress,
    onForbidden: recordForbidden,
    checkResponses,
  });
  await bindResources(binder);
  bindWebhooks(binder);
  bindListening(binder);
  const portals = createPortalAccess(services);
  const allowedOrigins: AllowedOrigins = (slug, { headers, socket }) =>
    portals.allowedOrigins(slug, clientAddress(headers, socket.remoteAddress));
  installNotFound(app, {
    isPage: isPageRequest,
    page: await installWebApp(app, allowedOrigins),
    listVerbs: createVerbs(allEndpoints),
  });
  return app;
}
