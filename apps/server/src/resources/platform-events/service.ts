import type { publishPlatformEvent, Received } from '@millrace/contracts';
import type { PublishedEvent } from '@millrace/nodes/runtime';
import { requireSafeJson } from '../../core/documents/json-limits.ts';
import { newId } from '../../core/ids.ts';
import { storeOwnEvent } from '../../database/platform-events.ts';
import { keyReused, readIdempotencyKey } from '../../execution/admission/idempotency.ts';
import type { Needs } from '../../services.ts';

/**
 * Publishes an event to the person's own workflows; durable when it resolves.
 *
 * @param given_key the header `Idempotency-Key`
 */
export async function publishOwnEvent(
  { sql, actor, now }: Needs<'sql' | 'actor' | 'now'>,
  body: Received<typeof publishPlatformEvent>['body'],
  given_key: string | string[] | undefined,
): Promise<{ readonly event: PublishedEvent; readonly repeated: boolean }> {
  requireSafeJson(body.payload, 'body');
  const key = readIdempotencyKey(given_key, { query: {}, body }, actor.user_id)?.key ?? newId();
  const { event, repeated, is_same } = await storeOwnEvent(sql, {
    ...body,
    owner_id: actor.user_id,
    workflow_id: null,
    dedupe_key: `custom:${key}`,
    at: new Date(now()),
  });
  if (!is_same) throw keyReused();
  return { event, repeated };
}
