import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { AppError, notFound, unauthenticated } from '../../core/app-error.ts';
import type { Actor } from '../../core/context.ts';
import type { PublishedWorkflow, WorkflowSettings } from '../workflows/published-workflow.ts';
import type { NowOrLater } from '../workflows/workflow-cache.ts';

/** Who calls, and whose credentials and global variables the run uses (§5.2 rule 6). */
export interface Caller {
  readonly kind: 'session' | 'token' | 'header' | 'anonymous';
  /** Absent for callers that nobody vouches for: anonymous ones and those that know the header value. */
  readonly user_id: string | undefined;
  readonly run_as: string;
  /** A person, or a person's token, with access to the workflow. */
  readonly has_access: boolean;
}

/** What admission needs to know about people; given by the resources that own sessions, tokens and shares. */
export interface CallerChecks {
  readonly authenticate: (request: FastifyRequest) => Promise<Actor | undefined>;
  readonly verifyToken: (token: string, workflow_id: string) => Promise<{ user_id: string } | undefined>;
  readonly hasAccess: (workflow_id: string, user_id: string) => NowOrLater<boolean>;
}

export function bearerToken(authorization: string | undefined): string | undefined {
  if (authorization === undefined || authorization.length < 8) return undefined;
  return authorization.slice(0, 7).toLowerCase() === 'bearer ' ? authorization.slice(7).trim() : undefined;
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

function ownerCaller(kind: 'header' | 'anonymous', settings: WorkflowSettings): Caller {
  return { kind, user_id: undefined, run_as: settings.owner_id, has_access: false };
}

async function tokenCaller(
  checks: CallerChecks,
  request: FastifyRequest,
  settings: WorkflowSettings,
): Promise<Caller | undefined> {
  const token = bearerToken(request.headers.authorization);
  if (token === undefined || !claimsToExecute(token)) return undefined;
  const verified = await checks.verifyToken(token, settings.id);
  if (!verified)
    throw unauthenticated('The execution token is not valid for this workflow, expired or revoked');
  const { user_id } = verified;
  return { kind: 'token', user_id, run_as: user_id, has_access: true };
}

async function sessionCaller(
  checks: CallerChecks,
  request: FastifyRequest,
  settings: WorkflowSettings,
): Promise<Caller | undefined> {
  const actor = await checks.authenticate(request);
  if (!actor) return undefined;
  const has_access = await checks.hasAccess(settings.id, actor.user_id);
  return { kind: 'session', user_id: actor.user_id, run_as: actor.user_id, has_access };
}

/** Anyone may call; a known caller's run is theirs (§5.2 rule 6). A token that is given must be good (§5.2 rule 2). */
async function anonymousRule(checks: CallerChecks, request: FastifyRequest, settings: WorkflowSettings) {
  const { authorization, cookie } = request.headers;
  if (authorization === undefined && cookie === undefined) return ownerCaller('anonymous', settings);
  const known =
    (await sessionCaller(checks, request, settings)) ?? (await tokenCaller(checks, request, settings));
  return known ?? ownerCaller('anonymous', settings);
}

async function jwtRule(checks: CallerChecks, request: FastifyRequest, settings: WorkflowSettings) {
  const session = await sessionCaller(checks, request, settings);
  if (session?.has_access) return session;
  // Somebody signed in learns no more than that there is nothing for them.
  if (session) throw notFound('Workflow');
  const token = await tokenCaller(checks, request, settings);
  if (token) return token;
  throw unauthenticated('Send a session or an execution token of this workflow as Authorization: Bearer');
}

async function headerRule(checks: CallerChecks, request: FastifyRequest, settings: WorkflowSettings) {
  const { authorization, cookie } = request.headers;
  const mayBeSignedIn = authorization !== undefined || cookie !== undefined;
  const session = mayBeSignedIn ? await sessionCaller(checks, request, settings) : undefined;
  if (session?.has_access) return session;
  const { auth_header_key: key, auth_header_value: value } = settings;
  if (key !== undefined && value !== undefined) {
    const given = request.headers[key];
    if (typeof given === 'string' && isHeaderValue(given, value)) return ownerCaller('header', settings);
  }
  throw new AppError('unauthenticated', 'The authentication header of this workflow is missing or wrong');
}

/** Applies the workflow's `auth_type` (§5.1). Throws 401, or 404 to signed-in people without access. */
export function identifyCaller(
  checks: CallerChecks,
  request: FastifyRequest,
  { settings }: PublishedWorkflow,
): Promise<Caller> {
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
