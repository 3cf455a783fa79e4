import { and, asc, desc, eq, ilike, or, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../../database/database.ts';
import { likePattern } from '../../database/like-pattern.ts';
import {
  teamMembers,
  templateShares,
  templates,
  templateTeamShares,
  users,
} from '../../database/schema/index.ts';

export type TemplateRow = typeof templates.$inferSelect;
export type TemplateKind = TemplateRow['kind'];

export interface Viewer {
  readonly user_id: string;
  readonly email: string;
}

/** Access rule of templates (§2.5): the author, everyone, or the people and teams that are named. */
function isVisibleTo({ user_id, email }: Viewer): SQL {
  return sql`(${templates.author_id} = ${user_id} OR ${templates.visibility} = 'everyone' OR EXISTS (
    SELECT 1 FROM ${templateShares} WHERE ${templateShares.template_id} = ${templates.id}
      AND ${templateShares.email} = ${email}
  ) OR EXISTS (
    SELECT 1 FROM ${templateTeamShares}
    JOIN ${teamMembers} ON ${teamMembers.team_id} = ${templateTeamShares.team_id}
    WHERE ${templateTeamShares.template_id} = ${templates.id} AND ${teamMembers.user_id} = ${user_id}
  ))`;
}

const sharedEmails = sql<string[]>`ARRAY(
  SELECT ${templateShares.email} FROM ${templateShares} WHERE ${templateShares.template_id} = ${templates.id} ORDER BY 1)`;
const sharedTeams = sql<string[]>`ARRAY(
  SELECT ${templateTeamShares.team_id}::text FROM ${templateTeamShares}
  WHERE ${templateTeamShares.template_id} = ${templates.id} ORDER BY 1)`;

function selectVisible(db: Db, viewer: Viewer, condition?: SQL) {
  return db
    .select({
      template: templates,
      author_name: users.name,
      shared_with: sharedEmails,
      shared_with_teams: sharedTeams,
    })
    .from(templates)
    .innerJoin(users, eq(users.id, templates.author_id))
    .where(and(isVisibleTo(viewer), condition));
}

export type VisibleRow = Awaited<ReturnType<typeof selectVisible>>[number];

/** A person without a session, as the access rule needs them. */
export async function viewerById(db: Db, user_id: string): Promise<Viewer | undefined> {
  const [row] = await db
    .select({ user_id: users.id, email: users.email })
    .from(users)
    .where(eq(users.id, user_id));
  return row;
}

/** Names of all visible templates, the oldest first; no graph is read. */
export const namesVisible = (db: Db, viewer: Viewer) =>
  db
    .select({
      id: templates.id,
      kind: templates.kind,
      name: templates.name,
      description: templates.description,
    })
    .from(templates)
    .where(isVisibleTo(viewer))
    .orderBy(asc(templates.created_at), asc(templates.id));

const MOST = 500;

export function listVisible(
  db: Db,
  viewer: Viewer,
  { type, search }: { type?: TemplateKind | undefined; search?: string | undefined },
): Promise<VisibleRow[]> {
  const pattern = search ? likePattern(search) : undefined;
  return selectVisible(
    db,
    viewer,
    and(
      type ? eq(templates.kind, type) : undefined,
      pattern
        ? or(
            ilike(templates.name, pattern),
            ilike(templates.description, pattern),
            sql`array_to_string(${templates.tags}, ' ') ILIKE ${pattern}`,
          )
        : undefined,
    ),
  )
    .orderBy(desc(templates.created_at), desc(templates.id))
    .limit(MOST);
}

export async function visibleById(
  db: Db,
  viewer: Viewer,
  { kind, id }: { kind: TemplateKind; id: string },
): Promise<VisibleRow | undefined> {
  const [row] = await selectVisible(db, viewer, and(eq(templates.kind, kind), eq(templates.id, id)));
  return row;
}

export const insertTemplate = (db: Db, row: typeof templates.$inferInsert) =>
  db.insert(templates).values(row);

export const updateTemplate = (db: Db, id: string, change: Partial<TemplateRow>) =>
  db.update(templates).set(change).where(eq(templates.id, id));

export const countUse = (db: Db, id: string) =>
  db
    .update(templates)
    .set({ use_count: sql`${templates.use_count} + 1` })
    .where(eq(templates.id, id));

export const deleteTemplate = (db: Db, id: string) => db.delete(templates).where(eq(templates.id, id));

export async function setSharedEmails(db: Db, template_id: string, emails: readonly string[]): Promise<void> {
  await db.delete(templateShares).where(eq(templateShares.template_id, template_id));
  const rows = [...new Set(emails.map((email) => email.trim().toLowerCase()))];
  if (rows.length > 0) await db.insert(templateShares).values(rows.map((email) => ({ template_id, email })));
}

export async function setSharedTeams(db: Db, template_id: string, ids: readonly string[]): Promise<void> {
  await db.delete(templateTeamShares).where(eq(templateTeamShares.template_id, template_id));
  const rows = [...new Set(ids)];
  if (rows.length > 0) {
    await db.insert(templateTeamShares).values(rows.map((team_id) => ({ template_id, team_id })));
  }
}
