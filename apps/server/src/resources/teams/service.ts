import type { Team, TeamDetail, TeamSharedEntities } from '@millrace/contracts';
import { AppError, notFound } from '../../core/app-error.ts';
import { newId } from '../../core/ids.ts';
import { type AuditEntry, recordAudit } from '../../database/audit.ts';
import type { Db } from '../../database/database.ts';
import type { Context, Needs } from '../../services.ts';
import { personByEmail } from '../shares/service.ts';
import { requireCreator, requireMember } from './access.ts';
import * as queries from './queries.ts';

type Change = Needs<'db' | 'actor' | 'broadcast' | 'now' | 'request_id' | 'client_ip'>;

const teamRecord = (row: queries.TeamRow): Team => ({ ...row, created_at: row.created_at.toISOString() });

const auditTeam = (
  db: Db,
  ctx: Change,
  entry: Omit<AuditEntry, 'object_kind' | 'object_id' | 'object_name' | 'owner_id'> & {
    team: queries.TeamRow;
  },
) => {
  const { team, ...rest } = entry;
  const object = {
    object_kind: 'team',
    object_id: team.id,
    object_name: team.name,
    owner_id: team.creator_id,
  };
  return recordAudit(db, ctx, { ...rest, ...object });
};

function publishTo(ctx: Pick<Context, 'broadcast'>, user_ids: readonly string[]): void {
  for (const user_id of user_ids) ctx.broadcast.publish('access_changed', `user:${user_id}`);
}

export async function listTeams(ctx: Needs<'db' | 'actor'>): Promise<Team[]> {
  return (await queries.teamsOfMember(ctx.db, ctx.actor.user_id)).map(teamRecord);
}

export async function readTeam(ctx: Needs<'db' | 'actor'>, id: string): Promise<TeamDetail> {
  const team = await requireMember(ctx, id);
  const members = await queries.listMembers(ctx.db, id);
  return {
    ...teamRecord(team),
    members: members.map((row) => ({ ...row, id: row.user_id, joined_at: row.joined_at.toISOString() })),
  };
}

export async function createTeam(
  ctx: Change,
  input: { name: string; description?: string | null | undefined },
): Promise<TeamDetail> {
  const id = newId();
  const now = new Date(ctx.now());
  const creator_id = ctx.actor.user_id;
  await ctx.db.transaction(async (tx) => {
    const row = { id, name: input.name, description: input.description || null, creator_id };
    await queries.insertTeam(tx, { ...row, created_at: now, updated_at: now });
    await queries.insertMember(tx, { team_id: id, user_id: creator_id, joined_at: now });
    await recordAudit(tx, ctx, {
      action: 'team.created',
      object_kind: 'team',
      object_id: id,
      object_name: input.name,
    });
  });
  return readTeam(ctx, id);
}

export async function updateTeam(
  ctx: Change,
  { id, ...input }: { id: string; name?: string | null | undefined; description?: string | null | undefined },
): Promise<Team> {
  const team = await requireCreator(ctx, id);
  await ctx.db.transaction(async (tx) => {
    await queries.updateTeam(tx, id, {
      ...(input.name ? { name: input.name } : {}),
      ...(typeof input.description === 'string' ? { description: input.description || null } : {}),
      updated_at: new Date(ctx.now()),
    });
    await auditTeam(tx, ctx, { action: 'team.updated', team });
  });
  return teamRecord(await requireMember(ctx, id));
}

/** Deletes the team; the database takes its members and every team share with it (§4.6). */
export async function deleteTeam(ctx: Change, id: string): Promise<void> {
  const team = await requireCreator(ctx, id);
  const members = await ctx.db.transaction(async (tx) => {
    const ids = await queries.memberIds(tx, id);
    await queries.deleteTeam(tx, id);
    await auditTeam(tx, ctx, { action: 'team.deleted', team, details: { members: ids.length } });
    return ids;
  });
  publishTo(ctx, members);
}

export async function addMember(
  ctx: Change,
  { id, email }: { id: string; email: string },
): Promise<TeamDetail> {
  const team = await requireMember(ctx, id);
  const person = await personByEmail(ctx.db, email);
  if (!person) throw notFound('User', 'email');
  await ctx.db.transaction(async (tx) => {
    const row = {
      team_id: id,
      user_id: person.id,
      added_by_id: ctx.actor.user_id,
      joined_at: new Date(ctx.now()),
    };
    if (!(await queries.insertMember(tx, row))) return;
    const details = { user_id: person.id, email: person.email };
    await auditTeam(tx, ctx, { action: 'team.member_added', team, details });
  });
  publishTo(ctx, [person.id]);
  return readTeam(ctx, id);
}

/** Removes a member, also oneself; the answer is the team as it is then. */
export async function removeMember(
  ctx: Change,
  { id, user_id }: { id: string; user_id: string },
): Promise<TeamDetail> {
  const team = await requireMember(ctx, id);
  if (user_id === team.creator_id)
    throw new AppError('bad_request', 'The creator cannot be removed from the team');
  const before = await readTeam(ctx, id);
  await ctx.db.transaction(async (tx) => {
    if (!(await queries.deleteMember(tx, { team_id: id, user_id }))) throw notFound('Member');
    await auditTeam(tx, ctx, { action: 'team.member_removed', team, details: { user_id } });
  });
  publishTo(ctx, [user_id]);
  const members = before.members.filter((member) => member.user_id !== user_id);
  return { ...before, members, member_count: members.length };
}

const LISTS = {
  workflow: 'workflows',
  credential: 'credentials',
  global_variable: 'global_variables',
  vector_store: 'vector_stores',
  data_table: 'data_tables',
  board: 'boards',
  skill: 'skills',
  file: 'files',
  workflow_template: 'workflow_templates',
  node_template: 'node_templates',
} as const satisfies Record<queries.SharedEntityRow['kind'], keyof TeamSharedEntities>;

export async function listSharedEntities(
  ctx: Needs<'db' | 'actor'>,
  id: string,
): Promise<TeamSharedEntities> {
  await requireMember(ctx, id);
  const entities: TeamSharedEntities = {
    workflows: [],
    credentials: [],
    global_variables: [],
    vector_stores: [],
    data_tables: [],
    boards: [],
    skills: [],
    files: [],
    workflow_templates: [],
    node_templates: [],
  };
  for (const row of await queries.sharedEntities(ctx.db, id)) {
    entities[LISTS[row.kind]].push({ id: row.id, name: row.name });
  }
  return entities;
}
