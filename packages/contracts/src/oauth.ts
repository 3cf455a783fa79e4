import { z } from 'zod';
import { idParams, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';

const tag = 'OAuth';

/** §8.3: how long a consent page may be answered. */
export const OAUTH_CONSENT_SECONDS = 600;
export const OAUTH_CODE_SECONDS = 600;

export const oauthServerMetadata = z
  .object({
    issuer: z.string(),
    authorization_endpoint: z.string(),
    token_endpoint: z.string(),
    registration_endpoint: z.string(),
    revocation_endpoint: z.string(),
    scopes_supported: z.array(z.string()),
    response_types_supported: z.array(z.string()),
    response_modes_supported: z.array(z.string()),
    grant_types_supported: z.array(z.string()),
    code_challenge_methods_supported: z.array(z.string()),
    token_endpoint_auth_methods_supported: z.array(z.string()),
    revocation_endpoint_auth_methods_supported: z.array(z.string()),
    authorization_response_iss_parameter_supported: z.literal(true),
  })
  .meta({ id: 'OauthServerMetadata' });
export type OauthServerMetadata = z.infer<typeof oauthServerMetadata>;

export const oauthResourceMetadata = z
  .object({
    resource: z.string(),
    authorization_servers: z.array(z.string()),
    scopes_supported: z.array(z.string()),
    bearer_methods_supported: z.array(z.string()),
    resource_name: z.string(),
  })
  .meta({ id: 'OauthResourceMetadata' });
export type OauthResourceMetadata = z.infer<typeof oauthResourceMetadata>;

/** Access that a user has granted to a client. */
export const oauthGrant = z
  .object({
    id: uuid,
    client_name: z.string(),
    /** The MCP server that the client may use; null is the default one. */
    server_name: z.string().nullable(),
    redirect_host: z.string(),
    scope: z.string(),
    created_at: timestamp,
    expires_at: timestamp,
  })
  .meta({ id: 'OauthGrant' });
export type OauthGrant = z.infer<typeof oauthGrant>;

export const readOauthServer = endpoint({
  id: 'readOauthServer',
  method: 'GET',
  path: '/.well-known/oauth-authorization-server',
  tag,
  summary: 'Metadata of the OAuth server (RFC 8414)',
  auth: 'none',
  response: oauthServerMetadata,
});

export const readOauthResource = endpoint({
  id: 'readOauthResource',
  method: 'GET',
  path: '/.well-known/oauth-protected-resource',
  aliases: ['/.well-known/oauth-protected-resource/api/mcp'],
  tag,
  summary: 'Authorization server of the MCP endpoint (RFC 9728)',
  auth: 'none',
  response: oauthResourceMetadata,
});

export const readOauthServerResource = endpoint({
  id: 'readOauthServerResource',
  method: 'GET',
  path: '/.well-known/oauth-protected-resource/api/mcp/servers/{id}',
  tag,
  summary: 'Authorization server of a named MCP server (RFC 9728)',
  auth: 'none',
  params: idParams,
  response: oauthResourceMetadata,
});

const errors = ['bad_request', 'unauthenticated', 'rate_limited'] as const;
const SMALL = 32 * 1024;

/** Bodies and answers are those of the RFCs, errors included: `{error, error_description}`. */
const own = <const Id extends string>(
  id: Id,
  at: { method: 'GET' | 'POST'; path: string; summary: string },
) => endpoint({ id, ...at, tag, auth: 'own', kind: 'raw', errors, body_limit: SMALL });

export const registerOauthClient = own('registerOauthClient', {
  method: 'POST',
  path: '/register',
  summary: 'Register a client (RFC 7591); limited per address (§8.2)',
});
export const showOauthConsent = own('showOauthConsent', {
  method: 'GET',
  path: '/authorize',
  summary: 'Consent page on which a user allows or denies a client',
});
export const decideOauthConsent = own('decideOauthConsent', {
  method: 'POST',
  path: '/authorize',
  summary: 'Submit the consent form; redirects to the client',
});
export const exchangeOauthCode = own('exchangeOauthCode', {
  method: 'POST',
  path: '/token',
  summary:
    'Exchange a code for an access token; `authorization_code` with PKCE S256 is the only grant (§5.6)',
});
export const revokeOauthToken = own('revokeOauthToken', {
  method: 'POST',
  path: '/revoke',
  summary: 'Revoke an access token (RFC 7009)',
});

export const listOauthGrants = endpoint({
  id: 'listOauthGrants',
  method: 'GET',
  path: '/api/oauth/grants',
  tag,
  summary: 'Clients that the user has granted access',
  auth: 'session',
  response: z.array(oauthGrant),
});

export const revokeOauthGrant = endpoint({
  id: 'revokeOauthGrant',
  method: 'DELETE',
  path: '/api/oauth/grants/{grant_id}',
  tag,
  summary: 'Revoke the access of a client; applies at once in every process',
  auth: 'session',
  params: z.object({ grant_id: uuid }),
  errors: ['not_found'],
});

export const oauthEndpoints = [
  readOauthServer,
  readOauthResource,
  readOauthServerResource,
  registerOauthClient,
  showOauthConsent,
  decideOauthConsent,
  exchangeOauthCode,
  revokeOauthToken,
  listOauthGrants,
  revokeOauthGrant,
];
