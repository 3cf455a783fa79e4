import type { FastifyInstance, FastifyReply } from 'fastify';

/** Scripts come from our own origin only; styles may be inline because the code editor and the dialogs write style elements. */
const POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
];

const policy = (ancestors: readonly string[]): string =>
  [...POLICY, `frame-ancestors ${ancestors.join(' ')}`].join('; ');

/** Headers of every answer. */
const HEADERS: Record<string, string> = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
  'Content-Security-Policy': policy(["'none'"]),
};

/**
 * Lets pages of our own origin and of the given ones show this one in a frame. Browsers that know `frame-ancestors` pass
 * over `X-Frame-Options` (CSP Level 3, §6.4.2), which cannot name a list.
 */
export function allowFrames(reply: FastifyReply, origins: readonly string[]): void {
  reply.header('Content-Security-Policy', policy(["'self'", ...origins]));
  if (origins.length === 0) reply.header('X-Frame-Options', 'SAMEORIGIN');
  else reply.removeHeader('X-Frame-Options');
}

export function installSecurityHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(HEADERS);
    done();
  });
}
