import type { FastifyInstance } from 'fastify';
import type { Config } from '../../config.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
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
  'Content-Range',
  'Accept-Ranges',
  'ETag',
  'Allow',
  'Accept-Encoding',
];
const PREFLIGHT_SECONDS = 600;

/**
 * Lets pages of the origins that the operator lists read answers. Never with credentials: a cookie that a browser sends
 * along opens nothing to another page.
 */
export async function installCors(
  app: FastifyInstance,
  { CORS_ORIGINS }: Pick<Config, 'CORS_ORIGINS'>,
): Promise<void> {
  if (CORS_ORIGINS.length === 0) return;
  const { default: cors } = await import('@fastify/cors');
  const isOpen = CORS_ORIGINS.includes('*');
  await app.register(cors, {
    origin: (origin, done) => {
      if (origin === undefined) return done(null, false);
      return done(null, isOpen ? '*' : CORS_ORIGINS.includes(origin));
    },
    methods: METHODS,
    exposedHeaders: EXPOSED,
    maxAge: PREFLIGHT_SECONDS,
    // Any other OPTIONS request of such a page is answered like a preflight, not in plain text.
    strictPreflight: false,
  });
}
