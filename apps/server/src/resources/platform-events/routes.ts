import { publishPlatformEvent } from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import { publishOwnEvent } from './service.ts';

export function bindPlatformEvents({ json }: Binder): void {
  json(publishPlatformEvent, async (ctx, { body }, { request, reply }) => {
    const { event, repeated } = await publishOwnEvent(ctx, body, request.headers['idempotency-key']);
    if (repeated) reply.header('Idempotent-Replayed', 'true');
    return event;
  });
}
