import { and, desc, eq, exists, gt, isNotNull, isNull, lte, ne, or, sql } from 'drizzle-orm';
import type { Db } from '../../database/database.ts';
import { refreshTokens, sessions, users } from '../../database/schema/index.ts';

export type UserRow = typeof users.$inferSelect;
export type SessionRow = typeof sessions.$inferSelect;

/** Any constant: registrations wait for each other, so that exactly one of them is the first. */
const REGISTRATION_LOCK = 460_022_115;

export const lockRegistration = (db: Db) =>
  db.execute(sql`SELECT pg_advisory_xact_lock(${REGISTRATION_LOCK})`);

export async function hasUsers(db: Db): Promise<boolean> {
  const rows = await db.select({ id: users.id }).from(users).limit(1);
  return rows.length > 0;
}

export async function userByEmail(db: Db, email: string): Promise<UserRow | undefined> {
  const [row] = await db.select().from(users).where(eq(users.email, email));
  return row;
}

export async function userById(db: Db, id: string): Promise<UserRow | undefined> {
  const [row] = await db.select().from(users).where(eq(users.id, id));
  return row;
}

/** Absent when the address is already taken. */
export async function insertUser(db: Db, row: typeof users.$inferInsert): Promise<UserRow | undefined> {
  const [inserted] = await db.insert(users).values(row).onConflictDoNothing().returning();
  return inserted;
}

export async function updateUser(
  db: Db,
  id: string,
  change: Partial<typeof users.$inferInsert>,
): Promise<UserRow | undefined> {
  const [row] = await db.update(users).set(change).where(eq(users.id, id)).returning();
  return row;
}

export const insertSession = (db: Db, row: typeof sessions.$inferInsert) => db.insert(sessions).values(row);

export const insertRefreshToken = (db: Db, row: typeof refreshTokens.$inferInsert) =>
  db.insert(refreshTokens).values(row);

/** The person behind a session that has not ended. */
export async function userOfSession(
  db: Db,
  session_id: string,
  user_id: string,
): Promise<Pick<UserRow, 'id' | 'email' | 'name' | 'is_admin'> | undefined> {
  const [row] = await db
    .select({ id: users.id, email: users.email, name: users.name, is_admin: users.is_admin })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.user_id))
    .where(and(eq(sessions.id, session_id), eq(sessions.user_id, user_id), isNull(sessions.ended_at)));
  return row;
}

/** Compare-and-swap: of any number of simultaneous calls exactly one gets true. */
export async function useRefreshToken(db: Db, token_hash: string, now: Date): Promise<boolean> {
  const rows = await db
    .update(refreshTokens)
    .set({ used_at: now })
    .where(
      and(
        eq(refreshTokens.token_hash, token_hash),
        isNull(refreshTokens.used_at),
        gt(refreshTokens.expires_at, now),
        exists(
          db
            .select({ id: sessions.id })
            .from(sessions)
            .where(and(eq(sessions.id, refreshTokens.session_id), isNull(sessions.ended_at))),
        ),
      ),
    )
    .returning({ token_hash: refreshTokens.token_hash });
  return rows.length > 0;
}

export async function refreshTokenByHash(db: Db, token_hash: string) {
  const [row] = await db.select().from(refreshTokens).where(eq(refreshTokens.token_hash, token_hash));
  return row;
}

export const touchSession = (db: Db, id: string, now: Date) =>
  db.update(sessions).set({ last_used_at: now }).where(eq(sessions.id, id));

/** Sessions that have ended or that nothing has used since then, with their tokens. @returns how many there were */
export async function deleteOverSessions(db: Db, unused_since: Date): Promise<number> {
  const rows = await db
    .delete(sessions)
    .where(or(isNotNull(sessions.ended_at), lte(sessions.last_used_at, unused_since)))
    .returning({ id: sessions.id });
  return rows.length;
}

/** Of sessions that continue; a token is needed until then, for a replay of it to be noticed. */
export async function deleteExpiredRefreshTokens(db: Db, now: Date): Promise<number> {
  const rows = await db
    .delete(refreshTokens)
    .where(lte(refreshTokens.expires_at, now))
    .returning({ session_id: refreshTokens.session_id });
  return rows.length;
}

/** True when the session was the user's and had not ended. */
export async function endSession(
  db: Db,
  { session_id, user_id, now }: { session_id: string; user_id: string; now: Date },
): Promise<boolean> {
  const rows = await db
    .update(sessions)
    .set({ ended_at: now })
    .where(and(eq(sessions.id, session_id), eq(sessions.user_id, user_id), isNull(sessions.ended_at)))
    .returning({ id: sessions.id });
  return rows.length > 0;
}

export const endOtherSessions = (
  db: Db,
  { user_id, kept_id, now }: { user_id: string; kept_id: string | undefined; now: Date },
) =>
  db
    .update(sessions)
    .set({ ended_at: now })
    .where(
      and(
        eq(sessions.user_id, user_id),
        isNull(sessions.ended_at),
        kept_id === undefined ? undefined : ne(sessions.id, kept_id),
      ),
    );

export const openSessions = (db: Db, user_id: string, used_since: Date): Promise<SessionRow[]> =>
  db
    .select()
    .from(sessions)
    .where(
      and(eq(sessions.user_id, user_id), isNull(sessions.ended_at), gt(sessions.last_used_at, used_since)),
    )
    .orderBy(desc(sessions.last_used_at), desc(sessions.id));
