import { and, asc, desc, eq, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import type { Db } from '../../database/database.ts';
import { queryRows } from '../../database/query-rows.ts';
import {
  files,
  fileTeamShares,
  teamMembers,
  teams,
  templates,
  templateTeamShares,
  users,
} from '../../database/schema/index.ts';
import { type Shareable, shareables } from '../shares/shareable.ts';

const creators = alias(users, 'creators');

const memberCount = sql<number>`(SELECT count(*)::int FROM ${teamMembers} WHERE ${teamMembers.team_id} = ${teams.id})`;

const teamColumns = {
  id: teams.id,
  name: teams.name,
  description: teams.description,
  creator_id: teams.creator_id,
  creator_email: creators.email,
  creator_name: creators.name,
  member_count: memberCount,
  created_at: teams.created_at,
};

function selectTeams(db: Db, where: SQL | undefined) {
  const membership = alias(teamMembers, 'membership');
  return db
    .select(teamColumns)
    .from(teams)
    .innerJoin(creators, eq(creators.id, teams.creator_id))
    .innerJoin(membership, eq(membership.team_id, teams.id))
    .where(where)
    .orderBy(desc(teams.created_at), desc(teams.id));
}

export type TeamRow = Awaited<ReturnType<typeof selectTeams>>[number];

const isMember = (user_id: string) => sql`"membership"."user_id" = ${user_id}`;

export const teamsOfMember = (db: Db, user_id: string): Promise<TeamRow[]> =>
  selectTeams(db, isMember(user_id));

export async function teamOfMember(
  db: Db,
  { team_id, user_id }: { team_id: string; user_id: string },
): Promise<TeamRow | undefined> {
  const [row] = await selectTeams(db, and(eq(teams.id, team_id), isMember(user_id)));
  return row;
}

export function listMembers(db: Db, team_id: string) {
  const adders = alias(users, 'adders');
  return db
    .select({
      user_id: users.id,
      email: users.email,
      name: users.name,
      added_by: adders.email,
      joined_at: teamMembers.joined_at,
    })
    .from(teamMembers)
    .innerJoin(users, eq(users.id, teamMembers.user_id))
    .leftJoin(adders, eq(adders.id, teamMembers.added_by_id))
    .where(eq(teamMembers.team_id, team_id))
    .orderBy(asc(teamMembers.joined_at), asc(users.email));
}

export async function memberIds(db: Db, team_id: string): Promise<string[]> {
  const rows = await db
    .select({ user_id: teamMembers.user_id })
    .from(teamMembers)
    .where(eq(teamMembers.team_id, team_id));
  return rows.map((row) => row.user_id);
}

export const insertTeam = (db: Db, row: typeof teams.$inferInsert) => db.insert(teams).values(row);

export const updateTeam = (db: Db, id: string, change: Partial<typeof teams.$inferInsert>) =>
  db.update(teams).set(change).where(eq(teams.id, id));

export const deleteTeam = (db: Db, id: string) => db.delete(teams).where(eq(teams.id, id));

/** True when the person was not a member before. */
export async function insertMember(db: Db, row: typeof teamMembers.$inferInsert): Promise<boolean> {
  const rows = await db
    .insert(teamMembers)
    .values(row)
    .onConflictDoNothing()
    .returning({ user_id: teamMembers.user_id });
  return rows.length > 0;
}

/** True when the person was a member. */
export async function deleteMember(
  db: Db,
  { team_id, user_id }: { team_id: string; user_id: string },
): Promise<boolean> {
  const rows = await db
    .delete(teamMembers)
    .where(and(eq(teamMembers.team_id, team_id), eq(teamMembers.user_id, user_id)))
    .returning({ user_id: teamMembers.user_id });
  return rows.length > 0;
}

export interface SharedEntityRow {
  readonly kind: Shareable['kind'] | 'file' | 'workflow_template' | 'node_template';
  readonly id: string;
  readonly name: string;
}

/** Every object that is shared with a team, of all kinds, in one query. */
export async function sharedEntities(db: Db, team_id: string): Promise<SharedEntityRow[]> {
  const parts = shareables.map(
    ({ kind, table, id, name, teamShares }) => sql`
      SELECT ${kind}::text AS kind, ${id} AS id, ${name} AS name FROM ${table}
      JOIN ${teamShares.table} ON ${teamShares.object_id} = ${id} WHERE ${teamShares.team_id} = ${team_id}`,
  );
  parts.push(
    sql`SELECT 'file', ${files.id}, ${files.filename} FROM ${files}
      JOIN ${fileTeamShares} ON ${fileTeamShares.file_id} = ${files.id} WHERE ${fileTeamShares.team_id} = ${team_id}`,
    sql`SELECT ${templates.kind} || '_template', ${templates.id}, ${templates.name} FROM ${templates}
      JOIN ${templateTeamShares} ON ${templateTeamShares.template_id} = ${templates.id}
      WHERE ${templateTeamShares.team_id} = ${team_id} AND ${templates.visibility} = 'specific_users'`,
  );
  return queryRows<SharedEntityRow>(db, sql`${sql.join(parts, sql` UNION ALL `)} ORDER BY name, id`);
}
