import { forbidden, notFound } from '../../core/app-error.ts';
import type { Db } from '../../database/database.ts';
import type { Needs } from '../../services.ts';
import { memberIds, type TeamRow, teamOfMember } from './queries.ts';

/** The team when the caller belongs to it; otherwise it does not exist for them. */
export async function requireMember(ctx: Needs<'db' | 'actor'>, team_id: string): Promise<TeamRow> {
  const team = await teamOfMember(ctx.db, { team_id, user_id: ctx.actor.user_id });
  if (!team) throw notFound('Team');
  return team;
}

/** §5.8: only the creator edits or deletes the team. */
export async function requireCreator(ctx: Needs<'db' | 'actor'>, team_id: string): Promise<TeamRow> {
  const team = await requireMember(ctx, team_id);
  if (team.creator_id !== ctx.actor.user_id) throw forbidden('Only the creator of the team may do this');
  return team;
}

/** All members of a team, to notify them that what they may see has changed. */
export const listMemberIds = (db: Db, team_id: string): Promise<string[]> => memberIds(db, team_id);
