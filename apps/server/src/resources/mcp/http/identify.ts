import type { FastifyRequest } from 'fastify';
import { AppError, forbidden, unauthenticated } from '../../../core/app-error.ts';
import { catchUp } from '../../../core/catch-up.ts';
import { bearerToken } from '../../../core/secrets/bearer.ts';
import { parseHost } from '../../../http/callers/own-site.ts';
import { requestBaseUrl } from '../../../http/request-url.ts';
import type { Services } from '../../../services.ts';
import { mcpPath } from '../address.ts';
import { callerOfSecret, callerOfSession, type McpCaller, type StreamCaller } from '../callers.ts';

/** Names under which clients of other servers send keys in addresses. */
const KEY_NAMES = ['key', 'token', 'api_key', 'apikey', 'mcp_key', 'x-mcp-key', 'access_token'];

/** A request to the server with that id; null is the default one. */
export interface McpRequest {
  readonly request: FastifyRequest;
  readonly server_id: string | null;
}

/** Addresses end up in logs and histories, so a key that came in one is no secret any more. */
function requireNoKeyInQuery(services: Services, received: McpRequest): void {
  const names = Object.keys(received.request.query as Record<string, unknown>);
  const name = names.find((given) => KEY_NAMES.includes(given.toLowerCase()));
  if (name === undefined) return;
  throw new AppError(
    'unauthenticated',
    `Keys are taken from headers only, never from the address (${name}), which is written to logs: send ` +
      'X-MCP-Key or Authorization: Bearer, and create a new key, because this one was exposed',
    { headers: { 'WWW-Authenticate': challenge(services, received, false) } },
  );
}

const LOCAL_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);

const toHostname = (host: string | undefined): string =>
  (host ?? '').trim().toLowerCase().replace(/:\d+$/, '');

/**
 * A page of another origin must not talk to a server on the person's own machine, also when its name has been made to
 * lead there (DNS rebinding): browsers send `Origin`, and `Host` is the name that the page believes in.
 */
export function requireOwnHost({ config }: Pick<Services, 'config'>, { headers }: FastifyRequest): void {
  const public_host = config.PUBLIC_URL === undefined ? undefined : parseHost(config.PUBLIC_URL);
  const hostname = toHostname(headers.host);
  const isDirect = config.TRUST_PROXY_HEADERS.kind === 'none';
  const isBound = public_host !== undefined || (isDirect && LOCAL_NAMES.has(config.HOST));
  const isKnown = LOCAL_NAMES.has(hostname) || hostname === toHostname(public_host);
  if (isBound && !isKnown)
    throw forbidden('MCP does not answer under the name in the Host header; PUBLIC_URL names the right one');
  // `*` does not count: the transport of MCP asks for a look at the origin.
  if (headers.origin === undefined || config.CORS_ORIGINS.includes(headers.origin)) return;
  const origin = parseHost(headers.origin);
  if (origin !== undefined && (origin === headers.host?.toLowerCase() || origin === public_host)) return;
  throw forbidden('MCP is not open to pages of other origins');
}

const headerText = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;

/** RFC 9728 section 5.1: leads clients without a key to the OAuth server. */
function challenge(services: Services, { request, server_id }: McpRequest, isWrong: boolean): string {
  const url = `${requestBaseUrl(services, request)}/.well-known/oauth-protected-resource${mcpPath(server_id)}`;
  const error = isWrong ? 'error="invalid_token", ' : '';
  return `Bearer ${error}resource_metadata="${url}"`;
}

/**
 * §5.6: `Authorization: Bearer`, else `X-MCP-Key`.
 *
 * @throws AppError 401 without a valid key in a header and for one in the address, 403 for foreign origins
 */
export async function identifyMcpCaller(services: Services, received: McpRequest): Promise<McpCaller> {
  const { request, server_id } = received;
  requireOwnHost(services, request);
  requireNoKeyInQuery(services, received);
  await catchUp(services);
  const { headers } = request;
  const key = bearerToken(headers.authorization) ?? headerText(headers['x-mcp-key']);
  const caller = key === undefined ? undefined : await callerOfSecret(services, server_id, key);
  if (caller) return caller;
  throw new AppError(
    'unauthenticated',
    key === undefined ? 'Send the key as X-MCP-Key or Authorization: Bearer' : 'The key is not valid here',
    { headers: { 'WWW-Authenticate': challenge(services, received, key !== undefined) } },
  );
}

/** The session of a message (`?session=`), undefined when it names none. */
export async function identifyStreamCaller(
  services: Services,
  { request, server_id }: McpRequest,
): Promise<StreamCaller | undefined> {
  const { session } = request.query as { session?: unknown };
  if (session === undefined) return undefined;
  requireOwnHost(services, request);
  await catchUp(services);
  const caller =
    typeof session === 'string' ? await callerOfSession(services, server_id, session) : undefined;
  if (caller) return caller;
  throw unauthenticated('The session has ended; open the event stream again');
}
