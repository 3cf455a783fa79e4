import type { AnyEndpoint, OauthServerMetadata } from '@millrace/contracts';
import * as contracts from '@millrace/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../core/app-error.ts';
import type { Binder, HandlerContext } from '../../http/bind.ts';
import { parseJsonBody } from '../../http/bodies/json-bodies.ts';
import { requestBaseUrl } from '../../http/request-url.ts';
import { createAuthenticate } from '../../http/session.ts';
import { LOGIN_RULE, REGISTER_CLIENT_RULE, requireAttempt } from '../auth/limits.ts';
import { requirePassword } from '../auth/service.ts';
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

const resourceOf = (issuer: string): string => `${issuer}/api/mcp`;

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

/** OAuth server for MCP clients (§5.6): the code grant with PKCE S256, and nothing else. */
export function bindOauth(binder: Binder): void {
  const { services } = binder;
  const authenticate = createAuthenticate(services);
  const registrations = services.attempt_limiters(REGISTER_CLIENT_RULE);
  const signIns = services.attempt_limiters(LOGIN_RULE);
  const issuerOf = (request: FastifyRequest) => requestBaseUrl(services, request);
  const bytesOf = (http: Http, { body_limit }: AnyEndpoint) => binder.readBody(http, body_limit ?? 0);

  /** Back to the client; 303 makes a browser forget the form that it sent (RFC 9700 section 4.12). */
  const goBack = (
    { request, reply }: Http,
    { redirect_uri, state }: Destination,
    answer: Readonly<Record<string, string>>,
  ): FastifyReply =>
    reply
      .code(303)
      .header('Cache-Control', 'no-store')
      .header('Location', withAnswer(redirect_uri, { ...answer, state, iss: issuerOf(request) }))
      .send();

  /** Answers a request that is wrong: to the client where that is safe, else to the person. */
  async function validRequest(
    context: HandlerContext,
    http: Http,
    read: () => Fields | Promise<Fields>,
  ): Promise<{ request: AuthorizationRequest; fields: Fields } | undefined> {
    let destination: Destination | undefined;
    try {
      const fields = await read();
      destination = await requireDestination(context, fields);
      const resource = resourceOf(issuerOf(http.request));
      return { request: requireRequest(destination, fields, resource), fields };
    } catch (error) {
      if (!(error instanceof OauthError)) throw error;
      if (destination) goBack(http, destination, { error: error.code, error_description: error.message });
      else sendProblemPage(http.reply, error.message);
      return undefined;
    }
  }

  async function showConsent(
    context: HandlerContext,
    http: Http,
    { request, fields, problem }: { request: AuthorizationRequest; fields: Fields; problem?: string },
  ): Promise<FastifyReply> {
    const person = await authenticate(http.request);
    const tools = person ? (await listTools(context.db, person.user_id)).tools : [];
    return sendConsentPage(http.reply, {
      request,
      fields,
      person,
      tools: tools.map(({ title }) => title),
      csrf_token: csrfToken(context, request, person?.user_id),
      ...(problem === undefined ? {} : { problem }),
    });
  }

  /** Who decides: the person who is signed in, else whose password was sent; undefined when it is wrong. */
  async function decider(
    context: HandlerContext,
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

  binder.json(contracts.readOauthServer, (_context, _received, { request }) =>
    serverMetadata(issuerOf(request)),
  );
  binder.json(contracts.readOauthResource, (_context, _received, { request }) => ({
    resource: resourceOf(issuerOf(request)),
    authorization_servers: [issuerOf(request)],
    scopes_supported: [SCOPE],
    bearer_methods_supported: ['header'],
    resource_name: 'Millrace',
  }));

  binder.raw(contracts.registerOauthClient, async (context, _received, http) => {
    // Counted before anything of the body is read, so that no attempt is free (§8.2).
    await requireAttempt(registrations, context.client_ip);
    const bytes = await bytesOf(http, contracts.registerOauthClient);
    try {
      const client = await registerClient(context, parseJsonBody(bytes));
      return await http.reply.code(201).header('Cache-Control', 'no-store').send(client);
    } catch (error) {
      const isJson = !(error instanceof AppError) || error.code !== 'invalid_input';
      return sendError(http.reply, isJson ? error : new OauthError('invalid_client_metadata', error.message));
    }
  });

  binder.raw(contracts.showOauthConsent, async (context, _received, http) => {
    const valid = await validRequest(context, http, () => queryFields(http.request));
    return valid ? showConsent(context, http, valid) : http.reply;
  });

  binder.raw(contracts.decideOauthConsent, async (context, _received, http) => {
    const bytes = await bytesOf(http, contracts.decideOauthConsent);
    const valid = await validRequest(context, http, () => formFields(http.request, bytes));
    if (!valid) return http.reply;
    const { request, fields } = valid;
    const user_id = (await authenticate(http.request))?.user_id;
    try {
      requireCsrfToken(context, request, { given: fields['csrf_token'], user_id });
    } catch (error) {
      if (error instanceof OauthError) return sendProblemPage(http.reply, error.message);
      throw error;
    }
    if (fields['decision'] !== 'allow')
      return goBack(http, request, {
        error: 'access_denied',
        error_description: 'The user denied the request',
      });
    const decided = await decider(context, { user_id, fields }).catch((error: unknown) => {
      if (error instanceof AppError && error.code === 'rate_limited') return error;
      throw error;
    });
    if (decided instanceof AppError)
      return sendProblemPage(http.reply.headers(decided.headers), decided.message, decided.status);
    if (decided === undefined)
      return showConsent(context, http, { ...valid, problem: 'E-mail address or password is wrong' });
    return goBack(http, request, { code: await issueCode({ ...context, user_id: decided }, request) });
  });

  binder.raw(contracts.exchangeOauthCode, async (context, _received, http) => {
    const bytes = await bytesOf(http, contracts.exchangeOauthCode);
    try {
      const fields = formFields(http.request, bytes);
      const answer = await tokens.exchangeCode(context, fields, clientProof(http.request, fields));
      return await http.reply.header('Cache-Control', 'no-store').header('Pragma', 'no-cache').send(answer);
    } catch (error) {
      return sendError(http.reply, error);
    }
  });

  binder.raw(contracts.revokeOauthToken, async (context, _received, http) => {
    const bytes = await bytesOf(http, contracts.revokeOauthToken);
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
