import { and, asc, desc, eq, gt, ilike, inArray, isNull, lt, or, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../database/database.ts';
import { likePattern } from '../../database/like-pattern.ts';
import { fileLinks, files, fileTeamShares, teamMembers, teams, users } from '../../database/schema/index.ts';

export type FileRow = typeof files.$inferSelect;
export type LinkRow = typeof fileLinks.$inferSelect;

/** §2.5: the owner, and members of the teams that it is shared with, who only read. */
const visibleIds = (user_id: string): SQL => sql`(
  SELECT ${files.id} FROM ${files} WHERE ${files.owner_id} = ${user_id}
  UNION ALL SELECT ${fileTeamShares.file_id} FROM ${fileTeamShares}
    JOIN ${teamMembers} ON ${teamMembers.team_id} = ${fileTeamShares.team_id}
    WHERE ${teamMembers.user_id} = ${user_id}
)`;

const grantingTeam = (user_id: string) => sql<
  string | null
>`CASE WHEN ${files.owner_id} = ${user_id} THEN NULL ELSE (
  SELECT min(${teams.name}) FROM ${fileTeamShares}
  JOIN ${teamMembers} ON ${teamMembers.team_id} = ${fileTeamShares.team_id} AND ${teamMembers.user_id} = ${user_id}
  JOIN ${teams} ON ${teams.id} = ${fileTeamShares.team_id} WHERE ${fileTeamShares.file_id} = ${files.id}
) END`;

const isTeamShared = sql<boolean>`EXISTS (
  SELECT 1 FROM ${fileTeamShares} WHERE ${fileTeamShares.file_id} = ${files.id})`;

const defaultToken = sql<string | null>`(
  SELECT ${fileLinks.token} FROM ${fileLinks}
  WHERE ${fileLinks.file_id} = ${files.id} AND ${fileLinks.is_default} LIMIT 1)`;

function selectVisible(db: Db, user_id: string, condition?: SQL) {
  return db
    .select({
      file: files,
      owner_email: users.email,
      team_name: grantingTeam(user_id),
      team_shared: isTeamShared,
      default_token: defaultToken,
      total: sql<number>`count(*) OVER ()::int`,
    })
    .from(files)
    .innerJoin(users, eq(users.id, files.owner_id))
    .where(and(inArray(files.id, visibleIds(user_id)), condition));
}

export type VisibleRow = Awaited<ReturnType<typeof selectVisible>>[number];

export interface FileFilter {
  readonly workflow_id?: string | undefined;
  readonly mime_type?: string | undefined;
  readonly search?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

const matches = (filter: FileFilter): SQL | undefined =>
  and(
    filter.workflow_id ? eq(files.workflow_id, filter.workflow_id) : undefined,
    filter.mime_type ? ilike(files.mime_type, likePattern(filter.mime_type)) : undefined,
    filter.search ? ilike(files.filename, likePattern(filter.search)) : undefined,
  );

/** A page and, in each of its rows, how many there are in all. */
export const listVisible = (db: Db, user_id: string, filter: FileFilter): Promise<VisibleRow[]> =>
  selectVisible(db, user_id, matches(filter))
    .orderBy(desc(files.created_at), desc(files.id))
    .limit(filter.limit)
    .offset(filter.offset);

/** How many there are in all, for a page behind the last one, which has no row that could say so. */
export const countVisible = (db: Db, user_id: string, filter: FileFilter): Promise<number> =>
  db.$count(files, and(inArray(files.id, visibleIds(user_id)), matches(filter)));

export async function visibleById(db: Db, user_id: string, id: string): Promise<VisibleRow | undefined> {
  const [row] = await selectVisible(db, user_id, eq(files.id, id));
  return row;
}

export const visibleByIds = (db: Db, user_id: string, ids: readonly string[]): Promise<VisibleRow[]> =>
  selectVisible(db, user_id, inArray(files.id, [...ids]));

export async function fileById(db: Db, id: string): Promise<FileRow | undefined> {
  const [row] = await db.select().from(files).where(eq(files.id, id));
  return row;
}

export async function insertFile(db: Db, row: typeof files.$inferInsert): Promise<FileRow> {
  const [inserted] = await db.insert(files).values(row).returning();
  if (!inserted) throw new Error('the file was not stored');
  return inserted;
}

export const deleteOwn = (db: Db, owner_id: string, ids?: readonly string[]): Promise<FileRow[]> =>
  db
    .delete(files)
    .where(and(eq(files.owner_id, owner_id), ids ? inArray(files.id, [...ids]) : undefined))
    .returning();

/** Shares with every team that the person belongs to; returns in how many teams it is then. */
export async function shareWithTeams(db: Db, file_id: string, user_id: string): Promise<number> {
  await db.execute(sql`
    INSERT INTO ${fileTeamShares} (file_id, team_id)
    SELECT ${file_id}::uuid, ${teamMembers.team_id} FROM ${teamMembers} WHERE ${teamMembers.user_id} = ${user_id}
    ON CONFLICT DO NOTHING`);
  const rows = await db.select().from(fileTeamShares).where(eq(fileTeamShares.file_id, file_id));
  return rows.length;
}

export const unshareWithTeams = (db: Db, file_id: string) =>
  db.delete(fileTeamShares).where(eq(fileTeamShares.file_id, file_id));

export async function insertLink(db: Db, row: typeof fileLinks.$inferInsert): Promise<LinkRow> {
  const [inserted] = await db.insert(fileLinks).values(row).returning();
  if (!inserted) throw new Error('the link was not stored');
  return inserted;
}

/** Changes the public link of a file, or gives it one when it was removed after its end. */
export async function writeDefaultLink(
  db: Db,
  { file_id, token, created_at, ...change }: typeof fileLinks.$inferInsert,
): Promise<void> {
  // Of two changes at once, both of which find no link, only one may add it.
  await db.select({ id: files.id }).from(files).where(eq(files.id, file_id)).for('update');
  const changed = await db
    .update(fileLinks)
    .set(change)
    .where(and(eq(fileLinks.file_id, file_id), eq(fileLinks.is_default, true)))
    .returning({ id: fileLinks.id });
  if (changed.length === 0) {
    await insertLink(db, { file_id, token, created_at, ...change, is_default: true });
  }
}

/** The file that a link leads to, by its token, or by its own id; also when the link has ended. */
export async function fileIdOfLink(
  db: Db,
  link: { token: string } | { id: string },
): Promise<string | undefined> {
  const condition = 'token' in link ? eq(fileLinks.token, link.token) : eq(fileLinks.id, link.id);
  const [row] = await db.select({ file_id: fileLinks.file_id }).from(fileLinks).where(condition);
  return row?.file_id;
}

export const listLinks = (db: Db, file_id: string): Promise<LinkRow[]> =>
  db
    .select()
    .from(fileLinks)
    .where(eq(fileLinks.file_id, file_id))
    .orderBy(asc(fileLinks.created_at), asc(fileLinks.id));

export async function deleteLink(db: Db, file_id: string, id: string): Promise<boolean> {
  const rows = await db
    .delete(fileLinks)
    .where(and(eq(fileLinks.id, id), eq(fileLinks.file_id, file_id)))
    .returning({ id: fileLinks.id });
  return rows.length > 0;
}

const isAlive = (now: Date) =>
  and(
    or(isNull(fileLinks.expires_at), gt(fileLinks.expires_at, now)),
    or(isNull(fileLinks.max_downloads), lt(fileLinks.download_count, fileLinks.max_downloads)),
  );

export async function aliveLinkByToken(db: Db, token: string, now: Date): Promise<LinkRow | undefined> {
  const [row] = await db
    .select()
    .from(fileLinks)
    .where(and(eq(fileLinks.token, token), isAlive(now)));
  return row;
}

/** Links with a password that an address names: by the id of the link, or of the file. */
export const aliveLinksWithPassword = (db: Db, id: string, now: Date): Promise<LinkRow[]> =>
  db
    .select()
    .from(fileLinks)
    .where(
      and(
        or(eq(fileLinks.id, id), eq(fileLinks.file_id, id)),
        sql`${fileLinks.password_hash} IS NOT NULL`,
        isAlive(now),
      ),
    )
    .limit(5);

/** Counts one download; of simultaneous callers no more get true than the link allows. */
export async function countDownload(db: Db, id: string, now: Date): Promise<boolean> {
  const rows = await db
    .update(fileLinks)
    .set({ download_count: sql`${fileLinks.download_count} + 1` })
    .where(and(eq(fileLinks.id, id), isAlive(now)))
    .returning({ id: fileLinks.id });
  return rows.length > 0;
}

/** @returns how many links were removed */
export async function deleteDeadLinks(db: Db, expired_before: Date): Promise<number> {
  const rows = await db
    .delete(fileLinks)
    .where(lt(fileLinks.expires_at, expired_before))
    .returning({ id: fileLinks.id });
  return rows.length;
}
