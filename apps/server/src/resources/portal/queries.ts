import { and, asc, eq, lte, max, sql } from 'drizzle-orm';
import type { Db } from '../../database/database.ts';
import { portalSessions, portalUsers } from '../../database/schema/index.ts';
import type { SqlClient } from '../../database/sql-client.ts';

/** A portal that is switched on, as its visitors meet it. */
export interface PortalRow {
  readonly workflow_id: string;
  readonly stream_enabled: boolean;
  readonly file_upload_enabled: boolean;
  /** JSON. */
  readonly file_config: string;
  readonly has_users: boolean;
  /** JSON. */
  readonly allowed_origins: string;
  /** JSON. */
  readonly appearance: string;
}

/** One statement for an unknown slug and for a portal that is off, so that the response time does not distinguish them. */
export async function portalOfSlug(client: SqlClient, slug: string): Promise<PortalRow | undefined> {
  const { rows } = await client.query<PortalRow>({
    name: 'portal_of_slug',
    text: `SELECT w.id AS workflow_id, w.portal_stream_enabled AS stream_enabled,
        w.portal_file_upload_enabled AS file_upload_enabled, w.portal_file_config AS file_config,
        w.portal_allowed_origins AS allowed_origins, w.portal_appearance AS appearance,
        EXISTS (SELECT 1 FROM portal_users u WHERE u.workflow_id = w.id) AS has_users
      FROM workflows w WHERE w.portal_slug = $1 AND w.portal_enabled`,
    values: [slug],
  });
  return rows[0];
}

/** Whose valid session the token opens in this portal. */
export async function findVisitor(
  client: SqlClient,
  { token_hash, workflow_id, now }: { token_hash: string; workflow_id: string; now: Date },
): Promise<{ user_id: string; username: string } | undefined> {
  const { rows } = await client.query<{ user_id: string; username: string }>({
    name: 'portal_visitor',
    text: `SELECT u.id AS user_id, u.username FROM portal_sessions s JOIN portal_users u ON u.id = s.user_id
      WHERE s.token_hash = $1 AND s.workflow_id = $2 AND s.expires_at > $3`,
    values: [token_hash, workflow_id, now.toISOString()],
  });
  return rows[0];
}

/** Stored only while the portal is on, its user there and the password the one that was checked. */
export async function insertSession(
  client: SqlClient,
  session: { token_hash: string; user_id: string; password_hash: string; expires_at: Date },
): Promise<boolean> {
  const { token_hash, user_id, password_hash, expires_at } = session;
  const { row_count } = await client.query({
    name: 'insert_portal_session',
    // The locks make it wait for a change that is under way, and such a change for it.
    text: `INSERT INTO portal_sessions (token_hash, workflow_id, user_id, expires_at)
      SELECT $1, u.workflow_id, u.id, $4 FROM portal_users u JOIN workflows w ON w.id = u.workflow_id
      WHERE u.id = $2 AND u.password_hash = $3 AND w.portal_enabled FOR SHARE`,
    values: [token_hash, user_id, password_hash, expires_at.toISOString()],
  });
  return row_count === 1;
}

export async function purgePortalSessions(db: Db, now: Date): Promise<number> {
  const removed = await db
    .delete(portalSessions)
    .where(lte(portalSessions.expires_at, now))
    .returning({ token_hash: portalSessions.token_hash });
  return removed.length;
}

export const endSessionsOfUser = (db: Db, user_id: string) =>
  db.delete(portalSessions).where(eq(portalSessions.user_id, user_id));

export type PortalUserRow = typeof portalUsers.$inferSelect;

export const listUsers = (db: Db, workflow_id: string): Promise<PortalUserRow[]> =>
  db
    .select()
    .from(portalUsers)
    .where(eq(portalUsers.workflow_id, workflow_id))
    .orderBy(asc(sql`lower(${portalUsers.username})`), asc(portalUsers.id));

export async function userByName(
  db: Db,
  workflow_id: string,
  username: string,
): Promise<PortalUserRow | undefined> {
  const [row] = await db
    .select()
    .from(portalUsers)
    .where(and(eq(portalUsers.workflow_id, workflow_id), eq(portalUsers.username, username)));
  return row;
}

/** Undefined when the name is taken. */
export async function insertUser(
  db: Db,
  user: typeof portalUsers.$inferInsert,
): Promise<PortalUserRow | undefined> {
  const [row] = await db.insert(portalUsers).values(user).onConflictDoNothing().returning();
  return row;
}

export interface UserPlace {
  readonly workflow_id: string;
  readonly user_id: string;
}

const isUser = ({ workflow_id, user_id }: UserPlace) =>
  and(eq(portalUsers.id, user_id), eq(portalUsers.workflow_id, workflow_id));

export async function findUser(db: Db, place: UserPlace): Promise<PortalUserRow | undefined> {
  const [row] = await db.select().from(portalUsers).where(isUser(place));
  return row;
}

export async function setPassword(
  db: Db,
  place: UserPlace,
  password_hash: string,
): Promise<PortalUserRow | undefined> {
  const [row] = await db.update(portalUsers).set({ password_hash }).where(isUser(place)).returning();
  return row;
}

/** Stored with each user, so that it stays when one of them is removed. */
export const forgetFailures = (db: Db, workflow_id: string, failures_since: Date) =>
  db.update(portalUsers).set({ failures_since }).where(eq(portalUsers.workflow_id, workflow_id));

/** Since when failed sign-ins to the portal count; null when all of them do. */
export async function findFailuresSince(db: Db, workflow_id: string): Promise<Date | null> {
  const [row] = await db
    .select({ at: max(portalUsers.failures_since) })
    .from(portalUsers)
    .where(eq(portalUsers.workflow_id, workflow_id));
  return row?.at ?? null;
}

export async function deleteUser(db: Db, place: UserPlace): Promise<PortalUserRow | undefined> {
  const [row] = await db.delete(portalUsers).where(isUser(place)).returning();
  return row;
}
