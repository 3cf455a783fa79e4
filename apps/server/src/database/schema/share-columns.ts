import { index, uniqueIndex } from 'drizzle-orm/pg-core';
import { createdAt } from '../columns.ts';
import { teamId, userId } from './accounts.ts';

/** Columns of a share with a person, beside its id and its object. */
export const withUser = () => ({ user_id: userId('user_id'), shared_at: createdAt() });

/** Columns of a share with a team, beside its id and its object. */
export const withTeam = () => ({ team_id: teamId(), shared_at: createdAt() });

type Indexed = Parameters<ReturnType<typeof index>['on']>[0];
type Grantee = { readonly user: Indexed } | { readonly team: Indexed };

/** One share for each pair; both sides find theirs. */
export function shareIndexes(table: string, object: Indexed, grantee: Grantee) {
  const [kind, column] =
    'user' in grantee ? (['user', grantee.user] as const) : (['team', grantee.team] as const);
  return [uniqueIndex(`${table}_pair`).on(object, column), index(`${table}_${kind}`).on(column)];
}
