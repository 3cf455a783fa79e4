import { and, eq, ne } from 'drizzle-orm';
import type { Db } from '../../database/database.ts';
import { users } from '../../database/schema/index.ts';
import { isDuplicate } from '../../database/sql-errors.ts';
import { grantingTeam, grantRank, type Shareable } from './shareable.ts';

/**
 * Columns that say how an object of the outer query, joined with its owner in `users`, reaches a person. `rank`: 0 own,
 * 1 shared with the person, 2 with a team of theirs.
 */
export const buildReachColumns = (shareable: Shareable, user_id: string) => ({
  owner_email: users.email,
  rank: grantRank(shareable, user_id),
  team_name: grantingTeam(shareable, user_id),
});

interface Reach {
  readonly owner_email: string;
  readonly rank: number;
  readonly team_name: string | null;
}

/** The same as people see it (`sharedBy` of the contracts). */
export const sharedBy = ({ owner_email, rank, team_name }: Reach) => ({
  is_shared: rank > 0,
  shared_by: rank > 0 ? owner_email : null,
  shared_by_team: rank === 2 ? team_name : null,
});

/** Whether another object of the owner has the name. */
export async function nameIsTaken(
  db: Db,
  { table, id, owner_id, name }: Pick<Shareable, 'table' | 'id' | 'owner_id' | 'name'>,
  wanted: { readonly owner_id: string; readonly name: string; readonly except_id: string },
): Promise<boolean> {
  const rows = await db
    .select({ id })
    .from(table)
    .where(and(eq(owner_id, wanted.owner_id), eq(name, wanted.name), ne(id, wanted.except_id)))
    .limit(1);
  return rows.length > 0;
}

/**
 * Changes the name of an object.
 *
 * @throws what `taken` makes when another one of the owner has got the name since it was looked for
 */
export async function unlessTaken(change: PromiseLike<unknown>, taken: () => Error): Promise<void> {
  try {
    await change;
  } catch (error) {
    throw isDuplicate(error) ? taken() : error;
  }
}
