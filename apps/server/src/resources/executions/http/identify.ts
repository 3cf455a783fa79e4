import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Actor } from '../../../core/actor.ts';
import { AppError, notFound, unauthenticated } from '../../../core/app-error.ts';
import { bearerToken } from '../../../core/secrets/bearer.ts';
import type {
  AnonymousPrincipal,
  CallerPrincipal,
  ExecutionTokenPrincipal,
  HeaderPrincipal,
  UserPrincipal,
} from '../../../execution/admission/principal.ts';
import type { PublishedWorkflow, WorkflowSettings } from '../../../execution/workflows/published-workflow.ts';
import type { NowOrLater } from '../../../execution/workflows/workflow-cache.ts';
import { isKnownByCookie, refuseOtherSite } from '../../../http/callers/own-site.ts';
import { givenAccessToken } from '../../../http/callers/session.ts';
import type { VerifiedExecutionToken } from '../../execution-tokens/verify.ts';

/** Parts of a request that may prove who sends it. */
export interface Presented {
  readonly headers: IncomingHttpHeaders;
  readonly cookies: Readonly<Record<string, string | undefined>>;
}

/** Facts about people that the rules below ask for; given by the resources that own sessions, tokens and shares. */
export interface CallerChecks {
  readonly authenticate: (presented: Presented) => Promise<Actor | undefined>;
  readonly verifyToken: (token: string, workflow_id: string) => Promise<VerifiedExecutionToken | undefined>;
  readonly isFromOtherSite: (headers: IncomingHttpHeaders) => boolean;
  readonly hasAccess: (workflow_id: string, user_id: string) => NowOrLater<boolean>;
}

/** Reads the claim that marks an execution token, unverified: it only decides which refusal the caller gets. */
function claimsToExecute(token: string): boolean {
  const payload = token.split('.')[1];
  if (payload === undefined) return false;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    return (
      typeof claims === 'object' &&
      claims !== null &&
      'scope' in claims &&
      claims.scope === 'workflow:execute'
    );
  } catch {
    return false;
  }
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Compares digests, so that neither length nor content shows in the time it takes. */
function isEqual(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

/**
 * The bytes of a header are text in Latin-1 to Node, and in UTF-8 to curl and most of those who write more than ASCII
 * into one (RFC 9110 section 5.5 leaves it open). Either spelling of the value is the value.
 */
function isHeaderValue(given: string, expected: string): boolean {
  const asUtf8 = Buffer.from(given, 'latin1').toString('utf8');
  return isEqual(given, expected) || isEqual(asUtf8, expected);
}

const ANONYMOUS: AnonymousPrincipal = { kind: 'anonymous' };
const HEADER: HeaderPrincipal = { kind: 'header' };

async function tokenCaller(
  checks: CallerChecks,
  request: Presented,
  settings: WorkflowSettings,
): Promise<ExecutionTokenPrincipal | undefined> {
  const token = bearerToken(request.headers.authorization);
  if (token === undefined || !claimsToExecute(token)) return undefined;
  const verified = await checks.verifyToken(token, settings.id);
  if (!verified)
    throw unauthenticated('The execution token is not valid for this workflow, expired or revoked');
  const { user_id, token_id } = verified;
  return { kind: 'execution_token', user_id, token_id };
}

/** A page of another site cannot call in the name of a person whose cookie the browser adds. */
const isForeign = (checks: CallerChecks, { headers }: Presented): boolean =>
  isKnownByCookie(headers) && checks.isFromOtherSite(headers);

/** Says why the session that came along does not count. */
function requireNoForeignSession(checks: CallerChecks, request: Presented): void {
  if (givenAccessToken(request) !== undefined && isForeign(checks, request)) throw refuseOtherSite();
}

async function sessionCaller(
  checks: CallerChecks,
  request: Presented,
  settings: WorkflowSettings,
): Promise<UserPrincipal | undefined> {
  if (isForeign(checks, request)) return undefined;
  const actor = await checks.authenticate(request);
  if (!actor) return undefined;
  const has_access = await checks.hasAccess(settings.id, actor.user_id);
  return { kind: 'user', user_id: actor.user_id, has_access };
}

/** Anyone may call; the run of a known caller is attributed to them (§5.2 rule 6). A token that is given must be good (§5.2 rule 2). */
async function anonymousRule(checks: CallerChecks, request: Presented, settings: WorkflowSettings) {
  const { authorization, cookie } = request.headers;
  if (authorization === undefined && cookie === undefined) return ANONYMOUS;
  const known =
    (await sessionCaller(checks, request, settings)) ?? (await tokenCaller(checks, request, settings));
  return known ?? ANONYMOUS;
}

async function jwtRule(checks: CallerChecks, request: Presented, settings: WorkflowSettings) {
  const session = await sessionCaller(checks, request, settings);
  if (session?.has_access) return session;
  // A person without access must not learn that the workflow exists.
  if (session) throw notFound('Workflow');
  const token = await tokenCaller(checks, request, settings);
  if (token) return token;
  requireNoForeignSession(checks, request);
  throw unauthenticated('Send a session or an execution token of this workflow as Authorization: Bearer');
}

async function headerRule(checks: CallerChecks, request: Presented, settings: WorkflowSettings) {
  const { authorization, cookie } = request.headers;
  const mayBeSignedIn = authorization !== undefined || cookie !== undefined;
  const session = mayBeSignedIn ? await sessionCaller(checks, request, settings) : undefined;
  if (session?.has_access) return session;
  const { auth_header_key: key, auth_header_value: value } = settings;
  if (key !== undefined && value !== undefined) {
    const given = request.headers[key];
    if (typeof given === 'string' && isHeaderValue(given, value)) return HEADER;
  }
  requireNoForeignSession(checks, request);
  throw new AppError('unauthenticated', 'The authentication header of this workflow is missing or wrong');
}

/** Applies the workflow's `auth_type` (§5.1). Throws 401, or 404 to signed-in people without access. */
export function identifyCaller(
  checks: CallerChecks,
  request: Presented,
  { settings }: PublishedWorkflow,
): Promise<CallerPrincipal> {
  switch (settings.auth_type) {
    case 'anonymous':
      return anonymousRule(checks, request, settings);
    case 'jwt':
      return jwtRule(checks, request, settings);
    case 'header_auth':
      return headerRule(checks, request, settings);
    default:
      return settings.auth_type satisfies never;
  }
}
