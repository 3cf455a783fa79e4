import { decideReview, readReview } from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import { decide, requireOpenReview, show } from './service.ts';

/** Reviews of paused runs. The token in the address is the only proof that a reviewer needs. */
export function bindReviews({ services, json }: Binder): void {
  const { execution } = services;
  json(readReview, async (_context, { params }, { reply }) => {
    reply.header('Cache-Control', 'no-store').header('Referrer-Policy', 'no-referrer');
    return show(execution, await requireOpenReview(execution, params.token, 'gone'));
  });
  json(decideReview, (_context, { params, body }) => decide(execution, params.token, body));
}
