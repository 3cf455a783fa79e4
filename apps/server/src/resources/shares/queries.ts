import { and, asc, eq, inArray, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import type { Db } from '../../database/database.ts';
import { queryRows } from '../../database/query-rows.ts';
import { teams, users } from '../../database/schema/index.ts';
import { type Shareable, type SharePermission, visibleIds } from './shareable.ts';

export interface SharedObject {
  readonly id: string;
  readonly owner_id: string;
  readonly name: string;
}

/** Columns of a generic table lose their row type; the schema guarantees these shapes. */
const typed = <Row>(rows: unknown): Row[] => rows as Row[];

/** The object, when the user may see it at all. */
export async function visibleObject(
  db: Db,
  shareable: Shareable,
  { user_id, id }: { user_id: string; id: string },
): Promise<SharedObject | undefined> {
  const rows = await db
    .select({ id: shareable.id, owner_id: shareable.owner_id, name: shareable.name })
    .from(shareable.table)
    .where(and(eq(shareable.id, id), inArray(shareable.id, visibleIds(shareable, user_id))));
  return typed<SharedObject>(rows)[0];
}

export interface PersonRow {
  readonly id: string;
  readonly email: string;
  readonly name: string;
}

export async function personByEmail(db: Db, email: string): Promise<PersonRow | undefined> {
  const [row] = await db
    .select({ id: users.id, email: users.email, name: users.name })
    .from(users)
    .where(eq(users.email, email.trim().toLowerCase()));
  return row;
}

export interface UserShareRow {
  readonly id: string;
  readonly user_id: string;
  readonly email: string;
  readonly name: string;
  readonly shared_at: Date;
}

export async function listUserShares(
  db: Db,
  { userShares }: Shareable,
  { object_id, user_id }: { object_id: string; user_id?: string },
): Promise<UserShareRow[]> {
  const rows = await db
    .select({
      id: userShares.id,
      user_id: userShares.user_id,
      email: users.email,
      name: users.name,
      shared_at: userShares.shared_at,
      ...userShares.more,
    })
    .from(userShares.table)
    .innerJoin(users, eq(users.id, userShares.user_id))
    .where(
      and(
        eq(userShares.object_id, object_id),
        user_id === undefined ? undefined : eq(userShares.user_id, user_id),
      ),
    )
    .orderBy(asc(users.name), asc(users.email));
  return typed<UserShareRow>(rows);
}

export interface TeamShareRow {
  readonly id: string;
  readonly team_id: string;
  readonly team_name: string;
  readonly shared_at: Date;
}

export async function listTeamShares(
  db: Db,
  { teamShares }: Shareable,
  { object_id, team_id }: { object_id: string; team_id?: string },
): Promise<TeamShareRow[]> {
  const rows = await db
    .select({
      id: teamShares.id,
      team_id: teamShares.team_id,
      team_name: teams.name,
      shared_at: teamShares.shared_at,
      ...teamShares.more,
    })
    .from(teamShares.table)
    .innerJoin(teams, eq(teams.id, teamShares.team_id))
    .where(
      and(
        eq(teamShares.object_id, object_id),
        team_id === undefined ? undefined : eq(teamShares.team_id, team_id),
      ),
    )
    .orderBy(asc(teams.name));
  return typed<TeamShareRow>(rows);
}

interface Pair {
  readonly object: PgColumn;
  readonly other: PgColumn;
  readonly object_id: string;
  readonly other_id: string;
}

/** Sets what a share allows; true when it allowed something else before. */
export async function updatePermission(
  db: Db,
  pair: Pair,
  { column, permission }: { column: PgColumn; permission: SharePermission },
): Promise<boolean> {
  const name = sql.identifier(column.name);
  const rows = await queryRows(
    db,
    sql`UPDATE ${pair.object.table} SET ${name} = ${permission}
    WHERE ${pair.object} = ${pair.object_id} AND ${pair.other} = ${pair.other_id} AND ${column} <> ${permission}
    RETURNING 1 AS changed`,
  );
  return rows.length > 0;
}

/** True when the pair is new; an existing one stays as it is. */
export async function insertPair(db: Db, pair: Pair): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`
    INSERT INTO ${pair.object.table} (${sql.identifier(pair.object.name)}, ${sql.identifier(pair.other.name)})
    VALUES (${pair.object_id}, ${pair.other_id}) ON CONFLICT DO NOTHING RETURNING 1 AS made`,
  );
  return rows.length > 0;
}

/** True when there was such a pair. */
export async function deletePair(db: Db, pair: Pair): Promise<boolean> {
  const rows = await queryRows(
    db,
    sql`
    DELETE FROM ${pair.object.table} WHERE ${pair.object} = ${pair.object_id} AND ${pair.other} = ${pair.other_id}
    RETURNING 1 AS gone`,
  );
  return rows.length > 0;
}
