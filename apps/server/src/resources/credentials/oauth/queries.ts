import { and, eq, gt, lte } from 'drizzle-orm';
import type { Db } from '../../../database/database.ts';
import { credentialSignIns } from '../../../database/schema/index.ts';

export type SignInRow = typeof credentialSignIns.$inferSelect;

/** Notes a sign-in that has begun, and forgets those that were never finished. */
export async function insertSignIn(db: Db, row: SignInRow, now: Date): Promise<void> {
  await db.delete(credentialSignIns).where(lte(credentialSignIns.expires_at, now));
  await db.insert(credentialSignIns).values(row);
}

/** The sign-in of a state, for this person, once: it is removed, even when the sign-in then fails. */
export async function takeSignIn(
  db: Db,
  { state_hash, user_id }: Pick<SignInRow, 'state_hash' | 'user_id'>,
  now: Date,
): Promise<SignInRow | undefined> {
  const [row] = await db
    .delete(credentialSignIns)
    .where(
      and(
        eq(credentialSignIns.state_hash, state_hash),
        eq(credentialSignIns.user_id, user_id),
        gt(credentialSignIns.expires_at, now),
      ),
    )
    .returning();
  return row;
}
