import { forbidden, notFound } from '../../core/app-error.ts';
import type { Needs } from '../../services.ts';
import { lockSkill, type SkillRow, type VisibleRow, visibleById } from './queries.ts';

type Reader = Needs<'db' | 'actor'>;

/** The skill when it is the caller's own or shared with them; otherwise it does not exist for them. */
export async function requireVisible(ctx: Reader, id: string): Promise<VisibleRow> {
  const row = await visibleById(ctx.db, ctx.actor.user_id, id);
  if (!row) throw notFound('Skill');
  return row;
}

/** The skill, locked, when it is the caller's own. `db` is the transaction of the change. */
export async function lockOwn(ctx: Reader, id: string): Promise<SkillRow> {
  const { rank } = await requireVisible(ctx, id);
  if (rank !== 0) throw forbidden('Only the owner of the skill may do this');
  const skill = await lockSkill(ctx.db, id);
  if (!skill) throw notFound('Skill');
  return skill;
}
