import {
  decideOpenReview,
  decideReview,
  listOpenReviews,
  readOpenReview,
  readReview,
} from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import * as own from './own-reviews.ts';
import { byToken, decide, requireOpenReview, show } from './service.ts';

/** Reviews of paused runs: for anyone with the link of one, and for signed-in people who can see its workflow. */
export function bindReviews({ services, json }: Binder): void {
  const { execution } = services;
  json(readReview, async (_context, { params }, { reply }) => {
    reply.header('Cache-Control', 'no-store').header('Referrer-Policy', 'no-referrer');
    return show(execution, await requireOpenReview(byToken(execution, params.token), 'gone'));
  });
  json(decideReview, (_context, { params, body }) =>
    decide(services, byToken(execution, params.token), body),
  );
  json(listOpenReviews, (ctx, { query }) => own.listOpen(ctx, query));
  json(readOpenReview, (ctx, { params }) => own.read(execution, ctx, params.review_id));
  json(decideOpenReview, (ctx, { params, body }) =>
    own.decideAs(services, ctx, { id: params.review_id, decision: body }),
  );
}
