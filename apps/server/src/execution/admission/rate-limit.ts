import type { SharedStore, WindowCount } from '../../ports/shared-store.ts';
import type { PublishedWorkflow, RateLimit } from '../workflows/published-workflow.ts';
import type { NowOrLater } from '../workflows/workflow-cache.ts';

export interface LimitAnswer extends WindowCount {
  readonly limit: RateLimit;
}

/** Counts one call of a workflow from one client (§8.1); undefined when the workflow has no limit. */
export function countCall(
  store: SharedStore,
  { settings }: PublishedWorkflow,
  client_ip: string,
): NowOrLater<LimitAnswer | undefined> {
  const limit = settings.rate_limit;
  if (!limit) return undefined;
  const key = `limit:${settings.id}:${client_ip}`;
  const counted = store.countInWindow(key, limit.requests, limit.window_seconds);
  return counted instanceof Promise ? counted.then((count) => ({ ...count, limit })) : { ...counted, limit };
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
