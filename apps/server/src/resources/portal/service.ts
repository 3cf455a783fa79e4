import {
  type PortalFileConfig,
  type PortalInfo,
  type PortalSettings,
  type PortalSettingsInput,
  type PortalUser,
  shownAppearance,
  type Workflow,
} from '@millrace/contracts';
import { listPortalFields } from '@millrace/contracts/portal-input';
import { AppError, notFound } from '../../core/app-error.ts';
import { newId } from '../../core/ids.ts';
import { hashPassword } from '../../core/secrets/passwords.ts';
import { recordAudit } from '../../database/audit.ts';
import type { Db } from '../../database/database.ts';
import type { Needs } from '../../services.ts';
import { requireWorkflow } from '../workflows/access.ts';
import type { SaveContext } from '../workflows/save.ts';
import { isSlugFree, readWorkflow, updateWorkflow } from '../workflows/service.ts';
import type { Portal } from './access.ts';
import * as queries from './queries.ts';

type Reader = Needs<'db' | 'actor'>;
type Writer = Needs<'db' | 'actor' | 'broadcast' | 'now'>;

/** Facts that anyone may know about a portal that is switched on. */
export function portalInfo({ row, workflow }: Portal): PortalInfo {
  const { name, description } = workflow.settings;
  return {
    workflow_name: name,
    workflow_description: description,
    requires_auth: row.has_users,
    stream_enabled: row.stream_enabled,
    file_upload_enabled: row.file_upload_enabled,
    file_config: JSON.parse(row.file_config) as PortalFileConfig,
    input_fields: listPortalFields(workflow.version.graph.document),
    appearance: shownAppearance.parse(JSON.parse(row.appearance)),
  };
}

const pickSettings = (workflow: Workflow): PortalSettings => ({
  portal_enabled: workflow.portal_enabled,
  portal_slug: workflow.portal_slug,
  portal_stream_enabled: workflow.portal_stream_enabled,
  portal_file_upload_enabled: workflow.portal_file_upload_enabled,
  portal_file_config: workflow.portal_file_config,
  portal_rate_limit_requests: workflow.portal_rate_limit_requests,
  portal_rate_limit_window_seconds: workflow.portal_rate_limit_window_seconds,
  portal_allowed_origins: workflow.portal_allowed_origins,
  portal_appearance: workflow.portal_appearance,
  input_fields: listPortalFields(workflow),
});

export async function readSettings(ctx: Reader, id: string): Promise<PortalSettings> {
  return pickSettings(await readWorkflow(ctx, id, {}));
}

/** The same save as that of the workflow's other settings. A slug that is in use is a bad request here. */
export async function updateSettings(
  ctx: SaveContext,
  id: string,
  input: PortalSettingsInput,
): Promise<PortalSettings> {
  await requireWorkflow(ctx, id, 'own');
  try {
    return pickSettings(await updateWorkflow(ctx, id, { input, which: {} }));
  } catch (error) {
    if (error instanceof AppError && error.code === 'conflict')
      throw new AppError('bad_request', error.message, { cause: error });
    throw error;
  }
}

export async function checkSlug(ctx: Reader, id: string, slug: string): Promise<{ is_free: boolean }> {
  await requireWorkflow(ctx, id, 'own');
  return { is_free: await isSlugFree(ctx.db, id, slug) };
}

const userRecord = ({ id, username, created_at }: queries.PortalUserRow): PortalUser => ({
  id,
  username,
  created_at: created_at.toISOString(),
});

export async function listUsers(ctx: Reader, id: string): Promise<PortalUser[]> {
  const { row } = await requireWorkflow(ctx, id, 'read');
  return (await queries.listUsers(ctx.db, row.id)).map(userRecord);
}

/** Changes the people of an own workflow's portal and notes it in one transaction. */
async function changeUser(
  ctx: Writer,
  workflow_id: string,
  { action, change }: { action: string; change: (db: Db) => Promise<queries.PortalUserRow> },
): Promise<PortalUser> {
  const { row: workflow } = await requireWorkflow(ctx, workflow_id, 'own');
  const user = await ctx.db.transaction(async (tx) => {
    const changed = await change(tx);
    await recordAudit(tx, ctx, {
      action,
      object_kind: 'workflow',
      object_id: workflow.id,
      object_name: workflow.name,
      owner_id: workflow.owner_id,
      details: { portal_user_id: changed.id },
    });
    return changed;
  });
  // Streams of visitors check again whether they may continue.
  ctx.broadcast.publish('access_changed', `workflow:${workflow.id}`);
  return userRecord(user);
}

const noUser = () => notFound('Portal user');

export async function addUser(
  ctx: Writer,
  workflow_id: string,
  { username, password }: { username: string; password: string },
): Promise<PortalUser> {
  await requireWorkflow(ctx, workflow_id, 'own');
  const password_hash = await hashPassword(password);
  const created_at = new Date(ctx.now());
  return changeUser(ctx, workflow_id, {
    action: 'portal_user.created',
    async change(db) {
      const user = { id: newId(), workflow_id, username, password_hash, created_at };
      const added = await queries.insertUser(db, user);
      if (!added) throw new AppError('bad_request', `The portal has a user "${username}" already`);
      return added;
    },
  });
}

export async function resetUser(
  ctx: Writer,
  place: queries.UserPlace,
  password: string,
): Promise<PortalUser> {
  await requireWorkflow(ctx, place.workflow_id, 'own');
  const password_hash = await hashPassword(password);
  return changeUser(ctx, place.workflow_id, {
    action: 'portal_user.password_reset',
    async change(db) {
      const user = await queries.setPassword(db, place, password_hash);
      if (!user) throw noUser();
      await queries.forgetFailures(db, place.workflow_id, new Date(ctx.now()));
      await queries.endSessionsOfUser(db, user.id);
      return user;
    },
  });
}

/** They may sign in again; only a new password or removal keeps them out. */
export async function endSessions(ctx: Writer, place: queries.UserPlace): Promise<void> {
  await changeUser(ctx, place.workflow_id, {
    action: 'portal_user.sessions_ended',
    async change(db) {
      const user = await queries.findUser(db, place);
      if (!user) throw noUser();
      await queries.endSessionsOfUser(db, user.id);
      return user;
    },
  });
}

export async function removeUser(ctx: Writer, place: queries.UserPlace): Promise<void> {
  await changeUser(ctx, place.workflow_id, {
    action: 'portal_user.deleted',
    async change(db) {
      const user = await queries.deleteUser(db, place);
      if (!user) throw noUser();
      return user;
    },
  });
}
