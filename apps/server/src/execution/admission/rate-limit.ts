import { addAnswerHeaders } from '../../core/app-error.ts';
import type { SharedStore, WindowCount } from '../../ports/coordination/shared-store.ts';
import type { PublishedWorkflow, RateLimit, WorkflowSettings } from '../workflows/published-workflow.ts';
import type { NowOrLater } from '../workflows/workflow-cache.ts';
import type { CallerPrincipal } from './principal.ts';

export interface LimitAnswer extends WindowCount {
  readonly limit: RateLimit;
}

interface Counted {
  readonly principal: CallerPrincipal;
  readonly client: { readonly ip: string };
}

/**
 * The limit that applies to a call, and whose calls count together. A portal has a limit of its own, and that of the workflow
 * does not count there. A visitor who is signed in is known by name; everyone else by their address.
 */
function resolveLimit(
  { id, portal_rate_limit, rate_limit }: WorkflowSettings,
  { principal, client }: Counted,
): { limit: RateLimit | undefined; key: string } {
  if (principal.kind !== 'portal_visitor') return { limit: rate_limit, key: `limit:${id}:${client.ip}` };
  const { username } = principal;
  const visitor = username === undefined ? `address:${client.ip}` : `user:${username}`;
  return { limit: portal_rate_limit, key: `limit:${id}:portal:${visitor}` };
}

/** Counts one call of a workflow from one client (§8.1); undefined when no limit applies. */
export function countCall(
  store: SharedStore,
  { settings }: PublishedWorkflow,
  call: Counted,
): NowOrLater<LimitAnswer | undefined> {
  const { limit, key } = resolveLimit(settings, call);
  if (!limit) return undefined;
  const counted = store.countInWindow(key, limit.requests, limit.window_seconds);
  return counted instanceof Promise ? counted.then((count) => ({ ...count, limit })) : { ...counted, limit };
}

/** §8.1: a call that is refused or fails after it was counted says so, too. */
export function withLimit(error: unknown, limit: LimitAnswer | undefined): unknown {
  if (limit) addAnswerHeaders(error, limitHeaders(limit));
  return error;
}

/** For callers who read words instead of headers. */
export function describeOverLimit({ limit }: { readonly limit: LimitAnswer | undefined }): string {
  const seconds = limit?.reset_seconds ?? 1;
  return `The rate limit of this workflow is exceeded; try again in ${seconds} seconds`;
}

/** §8.1: on every answer of a limited workflow; `Retry-After` when it was refused. */
export function limitHeaders({
  limit,
  allowed,
  remaining,
  reset_seconds,
}: LimitAnswer): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(limit.requests),
    'X-RateLimit-Remaining': String(remaining),
    'X-RateLimit-Reset': String(reset_seconds),
    ...(allowed ? {} : { 'Retry-After': String(Math.max(1, reset_seconds)) }),
  };
}
