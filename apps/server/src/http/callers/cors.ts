import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config.ts';

/** Whether the operator lets pages of the origin call the API (`CORS_ORIGINS`). */
export const isAllowedOrigin = (origin: string, { CORS_ORIGINS }: Pick<Config, 'CORS_ORIGINS'>): boolean =>
  CORS_ORIGINS.includes('*') || CORS_ORIGINS.includes(origin);

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
/** Headers that browsers hide from pages unless they are named. */
const EXPOSED = [
  'X-Execution-Id',
  'Idempotent-Replayed',
  'Retry-After',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Mcp-Session-Id',
  'WWW-Authenticate',
  'Content-Disposition',
].join(', ');
const PREFLIGHT_SECONDS = 600;

function answerPreflight({ headers }: FastifyRequest, reply: FastifyReply): void {
  const asked = headers['access-control-request-headers'];
  if (asked !== undefined) reply.header('Access-Control-Allow-Headers', asked);
  reply
    .header('Access-Control-Allow-Methods', METHODS)
    .header('Access-Control-Max-Age', PREFLIGHT_SECONDS)
    .code(204)
    .send();
}

/**
 * Lets pages of the origins that the operator lists read answers. Never with credentials: a cookie that a browser sends
 * along opens nothing to another page.
 */
export function installCors(app: FastifyInstance, config: Pick<Config, 'CORS_ORIGINS'>): void {
  if (config.CORS_ORIGINS.length === 0) return;
  const isOpen = config.CORS_ORIGINS.includes('*');
  app.addHook('onRequest', (request, reply, next) => {
    if (!isOpen) reply.header('Vary', 'Origin');
    const { origin } = request.headers;
    if (origin === undefined || !isAllowedOrigin(origin, config)) return next();
    reply
      .header('Access-Control-Allow-Origin', isOpen ? '*' : origin)
      .header('Access-Control-Expose-Headers', EXPOSED);
    const isPreflight =
      request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
    return isPreflight ? answerPreflight(request, reply) : next();
  });
}
