import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import {
  boardShares,
  boards,
  boardTeamShares,
  credentialShares,
  credentials,
  credentialTeamShares,
  dataTableShares,
  dataTables,
  dataTableTeamShares,
  globalVariableShares,
  globalVariables,
  globalVariableTeamShares,
  skillShares,
  skills,
  skillTeamShares,
  teamMembers,
  teams,
  vectorStoreShares,
  vectorStores,
  vectorStoreTeamShares,
  workflowShares,
  workflows,
  workflowTeamShares,
} from '../../database/schema/index.ts';

interface ShareTable {
  readonly table: PgTable;
  readonly id: PgColumn;
  readonly object_id: PgColumn;
  readonly shared_at: PgColumn;
  /** Columns that only shares of this kind have, by their names on the wire. */
  readonly more?: Readonly<Record<string, PgColumn>>;
  /** The rights that the share gives, for kinds that tell readers and writers apart. */
  readonly permission?: PgColumn;
}

export type SharePermission = 'read' | 'write';

/** A kind of object that can be shared with people and teams (§2.5), as the tables that say so. */
export interface Shareable {
  readonly kind:
    | 'workflow'
    | 'credential'
    | 'global_variable'
    | 'vector_store'
    | 'data_table'
    | 'board'
    | 'skill';
  /** As a refusal names it. */
  readonly label: string;
  readonly table: PgTable;
  readonly id: PgColumn;
  readonly owner_id: PgColumn;
  readonly name: PgColumn;
  readonly userShares: ShareTable & {
    readonly user_id: PgColumn;
  };
  readonly teamShares: ShareTable & { readonly team_id: PgColumn };
}

export const workflowShareable: Shareable = {
  kind: 'workflow',
  label: 'Workflow',
  table: workflows,
  id: workflows.id,
  owner_id: workflows.owner_id,
  name: workflows.name,
  userShares: {
    table: workflowShares,
    id: workflowShares.id,
    object_id: workflowShares.workflow_id,
    user_id: workflowShares.user_id,
    shared_at: workflowShares.shared_at,
    more: { mcp_enabled: workflowShares.mcp_enabled, folder_id: workflowShares.folder_id },
  },
  teamShares: {
    table: workflowTeamShares,
    id: workflowTeamShares.id,
    object_id: workflowTeamShares.workflow_id,
    team_id: workflowTeamShares.team_id,
    shared_at: workflowTeamShares.shared_at,
  },
};

export const credentialShareable: Shareable = {
  kind: 'credential',
  label: 'Credential',
  table: credentials,
  id: credentials.id,
  owner_id: credentials.owner_id,
  name: credentials.name,
  userShares: {
    table: credentialShares,
    id: credentialShares.id,
    object_id: credentialShares.credential_id,
    user_id: credentialShares.user_id,
    shared_at: credentialShares.shared_at,
  },
  teamShares: {
    table: credentialTeamShares,
    id: credentialTeamShares.id,
    object_id: credentialTeamShares.credential_id,
    team_id: credentialTeamShares.team_id,
    shared_at: credentialTeamShares.shared_at,
  },
};

export const globalVariableShareable: Shareable = {
  kind: 'global_variable',
  label: 'Global variable',
  table: globalVariables,
  id: globalVariables.id,
  owner_id: globalVariables.owner_id,
  name: globalVariables.name,
  userShares: {
    table: globalVariableShares,
    id: globalVariableShares.id,
    object_id: globalVariableShares.global_variable_id,
    user_id: globalVariableShares.user_id,
    shared_at: globalVariableShares.shared_at,
  },
  teamShares: {
    table: globalVariableTeamShares,
    id: globalVariableTeamShares.id,
    object_id: globalVariableTeamShares.global_variable_id,
    team_id: globalVariableTeamShares.team_id,
    shared_at: globalVariableTeamShares.shared_at,
  },
};

export const vectorStoreShareable: Shareable = {
  kind: 'vector_store',
  label: 'Vector store',
  table: vectorStores,
  id: vectorStores.id,
  owner_id: vectorStores.owner_id,
  name: vectorStores.name,
  userShares: {
    table: vectorStoreShares,
    id: vectorStoreShares.id,
    object_id: vectorStoreShares.vector_store_id,
    user_id: vectorStoreShares.user_id,
    shared_at: vectorStoreShares.shared_at,
  },
  teamShares: {
    table: vectorStoreTeamShares,
    id: vectorStoreTeamShares.id,
    object_id: vectorStoreTeamShares.vector_store_id,
    team_id: vectorStoreTeamShares.team_id,
    shared_at: vectorStoreTeamShares.shared_at,
  },
};

export const dataTableShareable: Shareable = {
  kind: 'data_table',
  label: 'Data table',
  table: dataTables,
  id: dataTables.id,
  owner_id: dataTables.owner_id,
  name: dataTables.name,
  userShares: {
    table: dataTableShares,
    id: dataTableShares.id,
    object_id: dataTableShares.data_table_id,
    user_id: dataTableShares.user_id,
    shared_at: dataTableShares.shared_at,
    more: { permission: dataTableShares.permission },
    permission: dataTableShares.permission,
  },
  teamShares: {
    table: dataTableTeamShares,
    id: dataTableTeamShares.id,
    object_id: dataTableTeamShares.data_table_id,
    team_id: dataTableTeamShares.team_id,
    shared_at: dataTableTeamShares.shared_at,
    more: { permission: dataTableTeamShares.permission },
    permission: dataTableTeamShares.permission,
  },
};

export const boardShareable: Shareable = {
  kind: 'board',
  label: 'Board',
  table: boards,
  id: boards.id,
  owner_id: boards.owner_id,
  name: boards.name,
  userShares: {
    table: boardShares,
    id: boardShares.id,
    object_id: boardShares.board_id,
    user_id: boardShares.user_id,
    shared_at: boardShares.shared_at,
    more: { permission: boardShares.permission },
    permission: boardShares.permission,
  },
  teamShares: {
    table: boardTeamShares,
    id: boardTeamShares.id,
    object_id: boardTeamShares.board_id,
    team_id: boardTeamShares.team_id,
    shared_at: boardTeamShares.shared_at,
    more: { permission: boardTeamShares.permission },
    permission: boardTeamShares.permission,
  },
};

export const skillShareable: Shareable = {
  kind: 'skill',
  label: 'Skill',
  table: skills,
  id: skills.id,
  owner_id: skills.owner_id,
  name: skills.name,
  userShares: {
    table: skillShares,
    id: skillShares.id,
    object_id: skillShares.skill_id,
    user_id: skillShares.user_id,
    shared_at: skillShares.shared_at,
  },
  teamShares: {
    table: skillTeamShares,
    id: skillTeamShares.id,
    object_id: skillTeamShares.skill_id,
    team_id: skillTeamShares.team_id,
    shared_at: skillTeamShares.shared_at,
  },
};

export const shareables: readonly Shareable[] = [
  workflowShareable,
  credentialShareable,
  globalVariableShareable,
  vectorStoreShareable,
  dataTableShareable,
  boardShareable,
  skillShareable,
];

/**
 * Access rule of every shareable object (§5.8): its owner, the users it is shared with, and the members of every team
 * that it is shared with. As a set of ids, so that a list needs one query and not one per row.
 */
export function visibleIds({ table, id, owner_id, userShares, teamShares }: Shareable, user_id: string): SQL {
  return sql`(
    SELECT ${id} FROM ${table} WHERE ${owner_id} = ${user_id}
    UNION ALL SELECT ${userShares.object_id} FROM ${userShares.table} WHERE ${userShares.user_id} = ${user_id}
    UNION ALL SELECT ${teamShares.object_id} FROM ${teamShares.table}
      JOIN ${teamMembers} ON ${teamMembers.team_id} = ${teamShares.team_id}
      WHERE ${teamMembers.user_id} = ${user_id}
  )`;
}

/** How the object of the outer query reaches the user: 0 owns it, 1 it is shared with them, 2 with a team of theirs. */
export function grantRank({ id, owner_id, userShares }: Shareable, user_id: string): SQL<number> {
  return sql<number>`(CASE WHEN ${owner_id} = ${user_id} THEN 0 WHEN EXISTS (
    SELECT 1 FROM ${userShares.table} WHERE ${userShares.object_id} = ${id} AND ${userShares.user_id} = ${user_id}
  ) THEN 1 ELSE 2 END)::int`;
}

/** Name of the first team through which the object of the outer query reaches the user. */
export function grantingTeam({ id, owner_id, teamShares }: Shareable, user_id: string): SQL<string | null> {
  return sql<string | null>`CASE WHEN ${owner_id} = ${user_id} THEN NULL ELSE (
    SELECT ${teams.name} FROM ${teamShares.table}
    JOIN ${teamMembers} ON ${teamMembers.team_id} = ${teamShares.team_id} AND ${teamMembers.user_id} = ${user_id}
    JOIN ${teams} ON ${teams.id} = ${teamShares.team_id}
    WHERE ${teamShares.object_id} = ${id} ORDER BY ${teams.name} LIMIT 1
  ) END`;
}

/** Whether the user may change what is in the object of the outer query: as its owner, or by any share that says so. */
export function mayWrite({ id, owner_id, userShares, teamShares }: Shareable, user_id: string): SQL<boolean> {
  if (!userShares.permission || !teamShares.permission) return sql<boolean>`(${owner_id} = ${user_id})`;
  return sql<boolean>`(${owner_id} = ${user_id} OR EXISTS (
    SELECT 1 FROM ${userShares.table} WHERE ${userShares.object_id} = ${id} AND ${userShares.user_id} = ${user_id}
      AND ${userShares.permission} = 'write'
  ) OR EXISTS (
    SELECT 1 FROM ${teamShares.table} JOIN ${teamMembers} ON ${teamMembers.team_id} = ${teamShares.team_id}
    WHERE ${teamShares.object_id} = ${id} AND ${teamMembers.user_id} = ${user_id}
      AND ${teamShares.permission} = 'write'
  ))`;
}
