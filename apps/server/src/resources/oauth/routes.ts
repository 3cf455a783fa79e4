import type { AnyEndpoint, OauthResourceMetadata, OauthServerMetadata } from '@millrace/contracts';
import * as contracts from '@millrace/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../core/app-error.ts';
import type { Binder, HandlerContext } from '../../http/bind.ts';
import { parseJsonBody } from '../../http/bodies/json-bodies.ts';
import { createAuthenticate } from '../../http/callers/session.ts';
import { requestBaseUrl } from '../../http/request-url.ts';
import { LOGIN_RULE, REGISTER_CLIENT_RULE, requireAttempt } from '../auth/limits.ts';
import { requirePassword } from '../auth/service.ts';
import { mcpPath } from '../mcp/address.ts';
import { serverFor } from '../mcp/servers.ts';
import { listTools } from '../mcp/tools/list.ts';
import {
  type AuthorizationRequest,
  csrfToken,
  type Destination,
  type Fields,
  issueCode,
  requireCsrfToken,
  requireDestination,
  requireRequest,
} from './authorize.ts';
import { AUTH_METHODS, registerClient, SCOPE } from './clients.ts';
import { clientProof, formFields, queryFields } from './http/fields.ts';
import { sendConsentPage, sendProblemPage } from './http/page.ts';
import { OauthError } from './oauth-error.ts';
import { withAnswer } from './redirect-uris.ts';
import * as tokens from './tokens.ts';

const serverMetadata = (issuer: string): OauthServerMetadata => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  registration_endpoint: `${issuer}/register`,
  revocation_endpoint: `${issuer}/revoke`,
  scopes_supported: [SCOPE],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: [...AUTH_METHODS],
  revocation_endpoint_auth_methods_supported: [...AUTH_METHODS],
  authorization_response_iss_parameter_supported: true,
});

const buildResourceUrl = (issuer: string, server_id: string | null = null): string =>
  `${issuer}${mcpPath(server_id)}`;

/** The same for every id, so that it does not reveal which servers exist. */
const resourceMetadata = (issuer: string, server_id: string | null): OauthResourceMetadata => ({
  resource: buildResourceUrl(issuer, server_id),
  authorization_servers: [issuer],
  scopes_supported: [SCOPE],
  bearer_methods_supported: ['header'],
  resource_name: 'Millrace',
});

/** RFC 6749 section 5.2. */
function sendError(reply: FastifyReply, error: unknown): FastifyReply {
  if (!(error instanceof OauthError)) throw error;
  const isClient = error.code === 'invalid_client';
  if (isClient) reply.header('WWW-Authenticate', 'Basic realm="Millrace"');
  return reply
    .code(isClient ? 401 : 400)
    .header('Cache-Control', 'no-store')
    .send({ error: error.code, error_description: error.message });
}

interface Http {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

type Authenticate = ReturnType<typeof createAuthenticate>;
type AttemptLimiters = ReturnType<Binder['services']['attempt_limiters']>;

const resolveIssuer = (services: Binder['services'], request: FastifyRequest) =>
  requestBaseUrl(services, request);
const readBytes = (binder: Binder, http: Http, { body_limit }: AnyEndpoint) =>
  binder.readBody(http, body_limit ?? 0);

/** Back to the client; 303 makes a browser forget the form that it sent (RFC 9700 section 4.12). */
function goBack(
  { services }: Pick<Binder, 'services'>,
  { request, reply }: Http,
  { redirect_uri, state }: Destination,
  answer: Readonly<Record<string, string>>,
): FastifyReply {
  return reply
    .code(303)
    .header('Cache-Control', 'no-store')
    .header('Location', withAnswer(redirect_uri, { ...answer, state, iss: resolveIssuer(services, request) }))
    .send();
}

/** Answers a request that is wrong: to the client where that is safe, else to the person. */
async function validRequest(
  binder: Binder,
  context: HandlerContext,
  http: Http,
  read: () => Fields | Promise<Fields>,
): Promise<{ request: AuthorizationRequest; fields: Fields } | undefined> {
  let destination: Destination | undefined;
  try {
    const fields = await read();
    destination = await requireDestination(context, fields);
    const resource = buildResourceUrl(resolveIssuer(binder.services, http.request));
    return { request: requireRequest(destination, fields, resource), fields };
  } catch (error) {
    if (!(error instanceof OauthError)) throw error;
    if (destination)
      goBack(binder, http, destination, { error: error.code, error_description: error.message });
    else sendProblemPage(http.reply, error.message);
    return undefined;
  }
}

const NOT_YOUR_SERVER =
  'The client asks for an MCP server that the account does not have; sign in with the account that owns it';

/** The page on which a person decides. */
async function showConsent(
  authenticate: Authenticate,
  context: HandlerContext,
  http: Http,
  { request, fields, problem }: { request: AuthorizationRequest; fields: Fields; problem?: string },
): Promise<FastifyReply> {
  const person = await authenticate(http.request);
  const found = person && (await serverFor(context, { ...request, user_id: person.user_id }));
  if (person && !found) return sendProblemPage(http.reply, NOT_YOUR_SERVER);
  const tools = found ? (await listTools(context.db, found.toolset)).items : [];
  return sendConsentPage(http.reply, {
    request,
    fields,
    person,
    server_name: found?.name,
    tools: tools.map(({ title }) => title),
    csrf_token: csrfToken(context, request, person?.user_id),
    ...(problem === undefined ? {} : { problem }),
  });
}

/** Who decides: the person who is signed in, else whose password was sent; undefined when it is wrong. */
async function decider(
  context: HandlerContext,
  signIns: AttemptLimiters,
  { user_id, fields }: { user_id: string | undefined; fields: Fields },
): Promise<string | undefined> {
  if (user_id !== undefined) return user_id;
  await requireAttempt(signIns, context.client_ip);
  const { email = '', password = '' } = fields;
  try {
    return (await requirePassword(context, { email, password })).id;
  } catch (error) {
    if (error instanceof AppError && error.code === 'unauthenticated') return undefined;
    throw error;
  }
}

/**
 * A form that comes without a button, as programs that fill it in send it, is allowed by the password that it carries. For a
 * person who is signed in nothing but the button says so.
 */
function isAllowed({ decision, password }: Fields, user_id: string | undefined): boolean {
  if (decision !== undefined) return decision === 'allow';
  return user_id === undefined && password !== undefined && password !== '';
}

function bindMetadata(binder: Binder): void {
  const { services } = binder;
  binder.json(contracts.readOauthServer, (_context, _received, { request }) =>
    serverMetadata(resolveIssuer(services, request)),
  );
  binder.json(contracts.readOauthResource, (_context, _received, { request }) =>
    resourceMetadata(resolveIssuer(services, request), null),
  );
  binder.json(contracts.readOauthServerResource, (_context, { params }, { request }) =>
    resourceMetadata(resolveIssuer(services, request), params.id),
  );
}

function bindRegistration(binder: Binder): void {
  const registrations = binder.services.attempt_limiters(REGISTER_CLIENT_RULE);
  binder.raw(contracts.registerOauthClient, async (context, _received, http) => {
    // Counted before anything of the body is read, so that no attempt is free (§8.2).
    await requireAttempt(registrations, context.client_ip);
    const bytes = await readBytes(binder, http, contracts.registerOauthClient);
    try {
      const client = await registerClient(context, parseJsonBody(bytes));
      return await http.reply.code(201).header('Cache-Control', 'no-store').send(client);
    } catch (error) {
      const isJson = !(error instanceof AppError) || error.code !== 'invalid_input';
      return sendError(http.reply, isJson ? error : new OauthError('invalid_client_metadata', error.message));
    }
  });
}

function bindConsent(binder: Binder): void {
  const authenticate = createAuthenticate(binder.services);
  const signIns = binder.services.attempt_limiters(LOGIN_RULE);
  binder.raw(contracts.showOauthConsent, async (context, _received, http) => {
    const valid = await validRequest(binder, context, http, () => queryFields(http.request));
    return valid ? showConsent(authenticate, context, http, valid) : http.reply;
  });

  binder.raw(contracts.decideOauthConsent, async (context, _received, http) => {
    const bytes = await readBytes(binder, http, contracts.decideOauthConsent);
    const valid = await validRequest(binder, context, http, () => formFields(http.request, bytes));
    if (!valid) return http.reply;
    const { request, fields } = valid;
    const user_id = (await authenticate(http.request))?.user_id;
    try {
      requireCsrfToken(context, request, { given: fields['csrf_token'], user_id });
    } catch (error) {
      if (error instanceof OauthError) return sendProblemPage(http.reply, error.message);
      throw error;
    }
    if (!isAllowed(fields, user_id))
      return goBack(binder, http, request, {
        error: 'access_denied',
        error_description: 'The user denied the request',
      });
    const decided = await decider(context, signIns, { user_id, fields }).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'rate_limited') return error;
      throw error;
    });
    if (decided instanceof AppError)
      return sendProblemPage(http.reply.headers(decided.headers), decided.message, decided.status);
    if (decided === undefined)
      return showConsent(authenticate, context, http, {
        ...valid,
        problem: 'E-mail address or password is wrong',
      });
    if (!(await serverFor(context, { ...request, user_id: decided })))
      return sendProblemPage(http.reply, NOT_YOUR_SERVER);
    return goBack(binder, http, request, {
      code: await issueCode({ ...context, user_id: decided }, request),
    });
  });
}

function bindTokens(binder: Binder): void {
  binder.raw(contracts.exchangeOauthCode, async (context, _received, http) => {
    const bytes = await readBytes(binder, http, contracts.exchangeOauthCode);
    try {
      const fields = formFields(http.request, bytes);
      const resource = buildResourceUrl(resolveIssuer(binder.services, http.request));
      const proof = clientProof(http.request, fields);
      const answer = await tokens.exchangeCode({ ...context, resource }, fields, proof);
      return await http.reply.header('Cache-Control', 'no-store').header('Pragma', 'no-cache').send(answer);
    } catch (error) {
      return sendError(http.reply, error);
    }
  });

  binder.raw(contracts.revokeOauthToken, async (context, _received, http) => {
    const bytes = await readBytes(binder, http, contracts.revokeOauthToken);
    try {
      const fields = formFields(http.request, bytes);
      await tokens.revokeToken(context, fields['token'], clientProof(http.request, fields));
      return await http.reply.code(200).send();
    } catch (error) {
      return sendError(http.reply, error);
    }
  });

  binder.json(contracts.listOauthGrants, (context) => tokens.listGrants(context));
  binder.json(contracts.revokeOauthGrant, async (context, { params }) => {
    await tokens.revokeOwnGrant(context, params.grant_id);
    return undefined;
  });
}

/** OAuth server for MCP clients (§5.6): the code grant with PKCE S256, and nothing else. */
export function bindOauth(binder: Binder): void {
  bindMetadata(binder);
  bindRegistration(binder);
  bindConsent(binder);
  bindTokens(binder);
}
