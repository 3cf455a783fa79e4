import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { allEndpoints } from '@millrace/contracts';
import { openApiDocument } from '@millrace/contracts/openapi';
import type { FastifyInstance } from 'fastify';

export const API_INFO = { title: 'Millrace', version: '0.1.0' };

type Document = ReturnType<typeof openApiDocument>;

/** Generated on the first request, so that it costs nothing at start. */
function documentOnDemand(): () => Document {
  let document: Document | undefined;
  return () => {
    document ??= openApiDocument(allEndpoints, API_INFO);
    return document;
  };
}

/** `/openapi.json` and a page to read it at `/docs`, both derived from the contracts. */
export async function installDocumentation(app: FastifyInstance): Promise<void> {
  const document = documentOnDemand();
  app.get('/openapi.json', () => document());
  await app.register(swagger, {
    openapi: { openapi: '3.1.0', info: API_INFO },
    transformObject: () => document() as never,
  });
  await app.register(swaggerUi, { routePrefix: '/docs', staticCSP: true });
}
