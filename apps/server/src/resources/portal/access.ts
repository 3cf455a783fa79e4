import type { IncomingHttpHeaders } from 'node:http';
import { PORTAL_PREVIEW_SLUG, VISITOR_TOKEN_HEADER, visitorToken } from '@millrace/contracts';
import { AppError, invalidField, notFound, unauthenticated } from '../../core/app-error.ts';
import { catchUp } from '../../core/catch-up.ts';
import { bearerToken } from '../../core/secrets/bearer.ts';
import { tokenDigest } from '../../core/secrets/tokens.ts';
import type { PortalVisitor } from '../../execution/admission/principal.ts';
import type { PublishedWorkflow } from '../../execution/workflows/published-workflow.ts';
import type { AttemptLimiter, AttemptRule } from '../../ports/coordination/attempt-limiter.ts';
import type { Services } from '../../services.ts';
import type { Holder } from './conversations/queries.ts';
import * as queries from './queries.ts';

/** Guesses of slugs that lead nowhere, per address. */
const LOOKUP_RULE: AttemptRule = {
  name: 'portal-lookup',
  attempts: 60,
  window_seconds: 60,
  ban_seconds: 60,
};

/** A portal that is switched on, with the workflow that it runs. */
export interface Portal {
  readonly row: queries.PortalRow;
  readonly workflow: PublishedWorkflow;
}

/** Who uses a portal, and whose conversations they see. */
export interface Visitor {
  readonly principal: PortalVisitor;
  /** Without a login and a visitor token nothing, and so no conversation is theirs. */
  readonly holder: Holder;
}

export interface PortalAccess {
  /** @throws AppError `not_found` when there is none or it is off; `rate_limited` for an address that guesses */
  requirePortal(slug: string, client_ip: string): Promise<Portal>;
  /** Sites that may show the chat; none of a portal that there is not. */
  allowedOrigins(slug: string, client_ip: string): Promise<readonly string[]>;
  /** §5.5: with portal users a session is needed, otherwise anyone may come in. @throws AppError `unauthenticated` */
  requireVisitor(portal: Portal, headers: IncomingHttpHeaders): Promise<Visitor>;
}

/** @throws AppError `invalid_input` for what no server has given out */
function visitorHash(headers: IncomingHttpHeaders): string | null {
  const given = headers[VISITOR_TOKEN_HEADER];
  if (given === undefined) return null;
  const parsed = visitorToken.safeParse(given);
  if (!parsed.success)
    throw invalidField(['header', 'X-Visitor-Token'], parsed.error.issues[0]?.message ?? 'is not valid');
  return tokenDigest(parsed.data);
}

function toVisitor({ user_id, visitor_hash }: Holder): Pick<PortalVisitor, 'visitor'> {
  if (user_id !== null) return { visitor: `user:${user_id}` };
  return visitor_hash === null ? {} : { visitor: `token:${visitor_hash}` };
}

export function tooMany(seconds: number): AppError {
  const headers = { 'Retry-After': String(seconds) };
  return new AppError('rate_limited', `Too many attempts. Try again in ${seconds} seconds`, { headers });
}

/** The one place that decides who may use a portal. */
export function createPortalAccess(services: Services): PortalAccess {
  const { database, execution, attempt_limiters, now } = services;
  const lookups: AttemptLimiter = attempt_limiters(LOOKUP_RULE);

  async function find(slug: string): Promise<Portal | undefined> {
    const row = await queries.portalOfSlug(database.sql, slug);
    const workflow = row && (await execution.workflows.published(row.workflow_id));
    return workflow && { row, workflow };
  }

  return {
    async requirePortal(slug, client_ip) {
      const { wait_seconds } = await lookups.state(client_ip);
      if (wait_seconds !== undefined) throw tooMany(wait_seconds);
      await catchUp(services);
      const portal = await find(slug);
      if (portal) return portal;
      const banned = await lookups.count(client_ip);
      throw banned === undefined ? notFound('Portal') : tooMany(banned);
    },
    async allowedOrigins(slug, client_ip) {
      if (slug === PORTAL_PREVIEW_SLUG) return [];
      if ((await lookups.state(client_ip)).wait_seconds !== undefined) return [];
      const row = await queries.portalOfSlug(database.sql, slug);
      if (!row) await lookups.count(client_ip);
      return row ? (JSON.parse(row.allowed_origins) as string[]) : [];
    },
    async requireVisitor({ row }, headers) {
      if (!row.has_users) {
        const holder = { user_id: null, visitor_hash: visitorHash(headers) };
        return { principal: { kind: 'portal_visitor', ...toVisitor(holder) }, holder };
      }
      const { workflow_id } = row;
      const token = bearerToken(headers.authorization);
      const person =
        token === undefined
          ? undefined
          : await queries.findVisitor(database.sql, {
              token_hash: tokenDigest(token),
              workflow_id,
              now: new Date(now()),
            });
      if (!person) throw unauthenticated('Sign in to this portal');
      const { user_id, username } = person;
      const holder = { user_id, visitor_hash: null };
      return { principal: { kind: 'portal_visitor', username, ...toVisitor(holder) }, holder };
    },
  };
}
