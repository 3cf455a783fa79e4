import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import { YEAR_SECONDS } from '@millrace/engine/units';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { allowFrames } from './security-headers.ts';

/** Folder of the files whose names change with what is in them. */
const ASSETS = 'assets';

/** The folder of the built web app, seen from the bundle and from the sources. */
export function webAppFolder(): string | undefined {
  return ['../../web/dist', '../../../web/dist']
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((folder) => existsSync(join(folder, 'index.html')));
}

/** True for addresses that a person opens and the web app's own router resolves. */
export function isPageRequest(request: FastifyRequest): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  const path = request.url.split('?')[0] ?? '';
  if (/^\/(api|docs|healthz|readyz|metrics|openapi\.json|assets)(\/|$)/.test(path)) return false;
  const { accept = '*/*' } = request.headers;
  if (accept.includes('text/html')) return true;
  // §4.4: pages for everyone, which link previews and simple clients fetch without naming a type.
  return PUBLIC_PAGE.test(path) && accept.includes('*/*');
}

const PUBLIC_PAGE = /^\/(chat|review)\/[^/]+\/?$/;

/** Of the portal whose page is asked for. */
function chatSlug({ url }: FastifyRequest): string | undefined {
  const [, slug] = /^\/chat\/([^/?]+)\/?(?:\?|$)/.exec(url) ?? [];
  try {
    return slug === undefined ? undefined : decodeURIComponent(slug);
  } catch {
    return undefined;
  }
}

type Answer = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** Sites that may show the page of a portal. */
export type AllowedOrigins = (slug: string, request: FastifyRequest) => Promise<readonly string[]>;

/** §4.4: visitors of a portal get a small page of its own, everyone else the web app. */
const pickDocument = ({ url }: FastifyRequest): string =>
  url.startsWith('/chat/') ? 'chat.html' : 'index.html';

const LANDING = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Millrace</title>
<body style="font:16px/1.5 system-ui;max-width:40rem;margin:4rem auto;padding:0 1rem">
<h1>Millrace is running</h1><p>The web app is not built here. The API is described at <a href="/docs">/docs</a>.</p></body></html>`;

/**
 * Serves the web app on the same port: hashed assets for ever, the page itself never from a cache, and the page for
 * every address of its router, so that deep links work.
 */
export async function installWebApp(
  app: FastifyInstance,
  allowedOrigins: AllowedOrigins,
  folder: string | undefined = webAppFolder(),
): Promise<(request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>> {
  /** The page of a portal may be shown by the sites that its owner allows. */
  const framed = (send: Answer) => async (request: FastifyRequest, reply: FastifyReply) => {
    const slug = chatSlug(request);
    if (slug !== undefined) allowFrames(reply, await allowedOrigins(slug, request));
    return send(request, reply);
  };
  if (!folder) {
    const landing: Answer = (_request, reply) => reply.type('text/html; charset=utf-8').send(LANDING);
    app.get('/', landing);
    return framed(landing);
  }
  const files = { preCompressed: true, cacheControl: false, index: false } as const;
  const cached = (control: string) => ({
    setHeaders: (response: { header(name: string, value: string): unknown }) =>
      void response.header('Cache-Control', control),
  });
  await app.register(fastifyStatic, { ...files, ...cached('no-cache'), root: folder, serve: false });
  for (const { name } of readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile()))
    app.get(`/${name}`, (_request, reply) => reply.sendFile(name));
  // One route for all: a route of its own for each of a thousand files took a tenth of the start.
  await app.register(fastifyStatic, {
    ...files,
    ...cached(`public, max-age=${YEAR_SECONDS}, immutable`),
    root: join(folder, ASSETS),
    prefix: `/${ASSETS}/`,
    decorateReply: false,
  });
  const page: Answer = (request, reply) =>
    reply.header('Cache-Control', 'no-cache').sendFile(pickDocument(request));
  app.get('/', page);
  app.get('/chat/:slug/embed.js', (_request, reply) => reply.sendFile('embed.js'));
  return framed(page);
}
