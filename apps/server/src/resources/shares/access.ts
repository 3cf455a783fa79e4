import { forbidden, notFound } from '../../core/app-error.ts';
import type { Needs } from '../../services.ts';
import { type SharedObject, visibleObject } from './queries.ts';
import type { Shareable } from './shareable.ts';

/** The object when the caller may see it; otherwise it does not exist for them. */
export async function requireVisible(
  ctx: Needs<'db' | 'actor'>,
  shareable: Shareable,
  id: string,
): Promise<SharedObject> {
  const object = await visibleObject(ctx.db, shareable, { user_id: ctx.actor.user_id, id });
  if (!object) throw notFound(shareable.label);
  return object;
}

/** The object when the caller owns it; 403 for those who only see it. */
export async function requireOwned(
  ctx: Needs<'db' | 'actor'>,
  shareable: Shareable,
  id: string,
): Promise<SharedObject> {
  const object = await requireVisible(ctx, shareable, id);
  if (object.owner_id !== ctx.actor.user_id) {
    throw forbidden(`Only the owner of the ${shareable.label.toLowerCase()} may do this`);
  }
  return object;
}
