import type { JsonObject } from '@millrace/engine';
import type { FastifyRequest } from 'fastify';
import { readPublicAddress, resolveBaseUrl } from '../execution/run/start/base-url.ts';
import type { Services } from '../services.ts';

/** Where the client of the request reaches the service, without a slash at the end; empty for a host that is none. */
export function requestBaseUrl(
  { config }: Pick<Services, 'config'>,
  { headers }: Pick<FastifyRequest, 'headers'>,
): string {
  const { host = '', 'x-forwarded-proto': forwarded } = headers;
  const sent: JsonObject =
    typeof forwarded === 'string' ? { host, 'x-forwarded-proto': forwarded } : { host };
  return resolveBaseUrl(readPublicAddress(config), { options: {}, input: { headers: sent } }) ?? '';
}
