import type { TeamShare, UserShare } from '@millrace/contracts';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { AppError, forbidden, notFound } from '../../core/app-error.ts';
import { recordAudit } from '../../database/audit.ts';
import type { Db } from '../../database/database.ts';
import type { Needs } from '../../services.ts';
import { listMemberIds, requireMember } from '../teams/access.ts';
import { requireOwned, requireVisible } from './access.ts';
import * as queries from './queries.ts';
import type { Shareable, SharePermission } from './shareable.ts';

/** Shares of one kind of object (§2.5, §4.7): additive, idempotent, and in force at once when taken back. */
export type ShareContext = Needs<'db' | 'actor' | 'broadcast' | 'now' | 'request_id' | 'client_ip'>;

const wire = <Row extends { shared_at: Date }>(row: Row) => ({
  ...row,
  shared_at: row.shared_at.toISOString(),
});

/** Makes every process drop its cached access rights of the object. */
export function publishAccessChange(
  ctx: Needs<'broadcast'>,
  shareable: Shareable,
  { object_id, user_ids }: { object_id: string; user_ids: readonly string[] },
): void {
  if (shareable.kind === 'workflow') ctx.broadcast.publish('access_changed', `workflow:${object_id}`);
  for (const user_id of user_ids) ctx.broadcast.publish('access_changed', `user:${user_id}`);
}

/** The account of an e-mail address, in any case. */
export const personByEmail = queries.personByEmail;

/** All users who see the object only because it is shared. */
export async function listGrantees(db: Db, shareable: Shareable, object_id: string): Promise<string[]> {
  const users = await queries.listUserShares(db, shareable, { object_id });
  const teams = await queries.listTeamShares(db, shareable, { object_id });
  const ids = new Set(users.map((share) => share.user_id));
  for (const { team_id } of teams) for (const id of await listMemberIds(db, team_id)) ids.add(id);
  return [...ids];
}

export async function listUserShares(
  ctx: Needs<'db' | 'actor'>,
  shareable: Shareable,
  id: string,
): Promise<UserShare[]> {
  await requireOwned(ctx, shareable, id);
  return (await queries.listUserShares(ctx.db, shareable, { object_id: id })).map(wire);
}

/** Adds a share, or sets what it allows; true when something is different then. */
async function putPair(
  tx: Db,
  pair: Parameters<typeof queries.insertPair>[1],
  { column, permission }: { column: PgColumn | undefined; permission: SharePermission | undefined },
): Promise<boolean> {
  const isNew = await queries.insertPair(tx, pair);
  if (!column || !permission) return isNew;
  return (await queries.updatePermission(tx, pair, { column, permission })) || isNew;
}

export async function addUserShare(
  ctx: ShareContext,
  shareable: Shareable,
  { id, email, permission }: { id: string; email: string; permission?: SharePermission },
): Promise<UserShare> {
  const object = await requireOwned(ctx, shareable, id);
  const person = await queries.personByEmail(ctx.db, email);
  if (!person) throw notFound('User', 'email');
  if (person.id === object.owner_id) throw new AppError('bad_request', 'The owner already has access');
  const { object_id: column, user_id: other } = shareable.userShares;
  const share = await ctx.db.transaction(async (tx) => {
    const pair = { object: column, other, object_id: id, other_id: person.id };
    if (await putPair(tx, pair, { column: shareable.userShares.permission, permission })) {
      await recordAudit(tx, ctx, {
        action: `${shareable.kind}.shared`,
        object_kind: shareable.kind,
        object_id: id,
        object_name: object.name,
        details: { user_id: person.id, email: person.email, ...(permission ? { permission } : {}) },
      });
    }
    const [row] = await queries.listUserShares(tx, shareable, { object_id: id, user_id: person.id });
    return row;
  });
  if (!share) throw notFound('User');
  publishAccessChange(ctx, shareable, { object_id: id, user_ids: [person.id] });
  return wire(share);
}

export async function removeUserShare(
  ctx: ShareContext,
  shareable: Shareable,
  { id, user_id }: { id: string; user_id: string },
): Promise<void> {
  const object = await requireOwned(ctx, shareable, id);
  if (!(await endUserShare(ctx, shareable, { object, user_id, action: 'unshared' }))) throw notFound('Share');
}

/** Ends the share that the caller has received; a share with a team of theirs remains, because it is not theirs alone. */
export async function leave(ctx: ShareContext, shareable: Shareable, id: string): Promise<void> {
  const object = await requireVisible(ctx, shareable, id);
  const { user_id } = ctx.actor;
  if (!(await endUserShare(ctx, shareable, { object, user_id, action: 'left' })))
    throw forbidden(`The ${shareable.label.toLowerCase()} is not shared with you directly`);
}

/** False: the person had no share. */
async function endUserShare(
  ctx: ShareContext,
  shareable: Shareable,
  { object, user_id, action }: { object: queries.SharedObject; user_id: string; action: 'unshared' | 'left' },
): Promise<boolean> {
  const { object_id: column, user_id: other } = shareable.userShares;
  const ended = await ctx.db.transaction(async (tx) => {
    const pair = { object: column, other, object_id: object.id, other_id: user_id };
    if (!(await queries.deletePair(tx, pair))) return false;
    await recordAudit(tx, ctx, {
      action: `${shareable.kind}.${action}`,
      object_kind: shareable.kind,
      object_id: object.id,
      object_name: object.name,
      owner_id: object.owner_id,
      details: { user_id },
    });
    return true;
  });
  if (ended) publishAccessChange(ctx, shareable, { object_id: object.id, user_ids: [user_id] });
  return ended;
}

export async function listTeamShares(
  ctx: Needs<'db' | 'actor'>,
  shareable: Shareable,
  id: string,
): Promise<TeamShare[]> {
  await requireOwned(ctx, shareable, id);
  return (await queries.listTeamShares(ctx.db, shareable, { object_id: id })).map(wire);
}

export async function addTeamShare(
  ctx: ShareContext,
  shareable: Shareable,
  { id, team_id, permission }: { id: string; team_id: string; permission?: SharePermission },
): Promise<TeamShare> {
  const object = await requireOwned(ctx, shareable, id);
  await requireMember(ctx, team_id);
  const { object_id: column, team_id: other } = shareable.teamShares;
  const { share, members } = await ctx.db.transaction(async (tx) => {
    const pair = { object: column, other, object_id: id, other_id: team_id };
    if (await putPair(tx, pair, { column: shareable.teamShares.permission, permission })) {
      await recordAudit(tx, ctx, {
        action: `${shareable.kind}.shared_with_team`,
        object_kind: shareable.kind,
        object_id: id,
        object_name: object.name,
        details: { team_id, ...(permission ? { permission } : {}) },
      });
    }
    const [row] = await queries.listTeamShares(tx, shareable, { object_id: id, team_id });
    return { share: row, members: await listMemberIds(tx, team_id) };
  });
  if (!share) throw notFound('Team');
  publishAccessChange(ctx, shareable, { object_id: id, user_ids: members });
  return wire(share);
}

export async function removeTeamShare(
  ctx: ShareContext,
  shareable: Shareable,
  { id, team_id }: { id: string; team_id: string },
): Promise<void> {
  const object = await requireOwned(ctx, shareable, id);
  const { object_id: column, team_id: other } = shareable.teamShares;
  const members = await ctx.db.transaction(async (tx) => {
    const pair = { object: column, other, object_id: id, other_id: team_id };
    if (!(await queries.deletePair(tx, pair))) throw notFound('Share');
    await recordAudit(tx, ctx, {
      action: `${shareable.kind}.unshared_with_team`,
      object_kind: shareable.kind,
      object_id: id,
      object_name: object.name,
      details: { team_id },
    });
    return listMemberIds(tx, team_id);
  });
  publishAccessChange(ctx, shareable, { object_id: id, user_ids: members });
}
