import { notFound } from '../../core/app-error.ts';
import type { Needs } from '../../services.ts';
import { type NamedAlert, ownAlert } from './queries.ts';

/** The alert when it is the caller's own; otherwise it does not exist for them. */
export async function requireOwn(ctx: Needs<'db' | 'actor'>, id: string): Promise<NamedAlert> {
  const found = await ownAlert(ctx.db, { id, owner_id: ctx.actor.user_id });
  if (!found) throw notFound('Alert');
  return found;
}
