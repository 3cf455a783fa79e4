import { allEndpoints } from '@millrace/contracts';
import { openApiDocument } from '@millrace/contracts/openapi';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';

export const API_INFO = { title: 'Millrace', version: '0.1.0' };

const PAGES = '/docs';

type Document = ReturnType<typeof openApiDocument>;

/** Generated on the first request, so that it costs nothing at start. */
function documentOnDemand(): () => Document {
  let document: Document | undefined;
  return () => {
    document ??= openApiDocument(allEndpoints, API_INFO);
    return document;
  };
}

/** The page to read it at, with its packages, which few starts of the program need: an application of its own. */
async function openPages(document: () => Document): Promise<FastifyInstance> {
  const [{ default: swagger }, { default: swaggerUi }] = await Promise.all([
    import('@fastify/swagger'),
    import('@fastify/swagger-ui'),
  ]);
  const pages = Fastify({ logger: false });
  await pages.register(swagger, {
    openapi: { openapi: '3.1.0', info: API_INFO },
    transformObject: () => document() as never,
  });
  await pages.register(swaggerUi, { routePrefix: PAGES, staticCSP: true });
  await pages.ready();
  return pages;
}

/** `/openapi.json` and a page to read it at `/docs`, both derived from the contracts. */
export function installDocumentation(app: FastifyInstance): void {
  const document = documentOnDemand();
  app.get('/openapi.json', () => document());
  let opening: Promise<FastifyInstance> | undefined;
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    opening ??= openPages(document);
    const pages = await opening;
    reply.hijack();
    for (const [name, value] of Object.entries(reply.getHeaders())) {
      if (value !== undefined) reply.raw.setHeader(name, value);
    }
    pages.routing(request.raw, reply.raw);
  };
  app.get(PAGES, answer);
  app.get(`${PAGES}/*`, answer);
  app.addHook('onClose', async () => (await opening)?.close());
}
