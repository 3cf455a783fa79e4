import { eq } from 'drizzle-orm';
import type { Db } from '../database/database.ts';
import { users } from '../database/schema/index.ts';

/** Lets requests of one person wait for each other until the transaction ends, so that what they make can be counted. */
export async function lockPerson(tx: Db, user_id: string): Promise<void> {
  await tx.select({ id: users.id }).from(users).where(eq(users.id, user_id)).for('no key update');
}
