import type { BulkFileResult, DriveFile } from '@millrace/contracts';
import { MEGABYTE } from '@millrace/engine/units';
import { AppError, forbidden, notFound } from '../../core/app-error.ts';
import { recordAudit } from '../../database/audit.ts';
import type { FileStore } from '../../ports/file-store.ts';
import type { Context, Needs } from '../../services.ts';
import { addDefaultLink, linkAddress } from './links.ts';
import * as queries from './queries.ts';
import { type NewFile, storeFile } from './store-file.ts';

/** Without an address or id of a request when a run asks. */
export type FileContext = Needs<'db' | 'actor' | 'config' | 'now' | 'log'> &
  Partial<Needs<'request_id' | 'client_ip'>> & { readonly files: FileStore };
type Reader = Pick<Context, 'db' | 'actor' | 'config'>;

function fileRecord(ctx: Reader, row: queries.VisibleRow): DriveFile {
  const { file, default_token } = row;
  const own = file.owner_id === ctx.actor.user_id;
  const base = ctx.config.PUBLIC_URL?.replace(/\/+$/, '') ?? '';
  return {
    id: file.id,
    filename: file.filename,
    mime_type: file.mime_type,
    size_bytes: file.size_bytes,
    workflow_id: file.workflow_id,
    source_node_label: file.source_node_label,
    download_url: own && default_token ? linkAddress(ctx.config, default_token) : null,
    authenticated_download_url: `${base}/api/files/${file.id}/download`,
    shared_with_my_teams: own && row.team_shared,
    created_at: file.created_at.toISOString(),
    is_shared: !own,
    shared_by: own ? null : row.owner_email,
    shared_by_team: own ? null : row.team_name,
  };
}

export async function listFiles(
  ctx: Reader,
  filter: queries.FileFilter,
): Promise<{ files: DriveFile[]; total: number }> {
  const { user_id } = ctx.actor;
  const rows = await queries.listVisible(ctx.db, user_id, filter);
  const total =
    rows[0]?.total ?? (filter.offset > 0 ? await queries.countVisible(ctx.db, user_id, filter) : 0);
  return { files: rows.map((row) => fileRecord(ctx, row)), total };
}

export async function requireVisible(ctx: Needs<'db' | 'actor'>, id: string): Promise<queries.VisibleRow> {
  const row = await queries.visibleById(ctx.db, ctx.actor.user_id, id);
  if (!row) throw notFound('File');
  return row;
}

/** Those of the files that the caller may see; at least one. */
export async function requireSome(
  ctx: Needs<'db' | 'actor'>,
  ids: readonly string[],
): Promise<queries.FileRow[]> {
  const rows = await queries.visibleByIds(ctx.db, ctx.actor.user_id, ids);
  if (rows.length === 0) throw notFound('File');
  return rows.map((row) => row.file);
}

/** §2.5: team members read; the owner keeps the management. */
export async function requireOwn(ctx: Needs<'db' | 'actor'>, id: string): Promise<queries.FileRow> {
  const { file } = await requireVisible(ctx, id);
  if (file.owner_id !== ctx.actor.user_id) throw forbidden('Only the owner of the file may do this');
  return file;
}

export async function readFile(ctx: Reader, id: string): Promise<DriveFile> {
  return fileRecord(ctx, await requireVisible(ctx, id));
}

export async function uploadFile(
  ctx: FileContext,
  upload: Pick<NewFile, 'filename' | 'body'>,
  { share_with_my_teams }: { share_with_my_teams: boolean },
): Promise<DriveFile> {
  const input = {
    owner_id: ctx.actor.user_id,
    filename: upload.filename,
    body: upload.body,
    max_bytes: ctx.config.FILE_MAX_SIZE_MB * MEGABYTE,
  };
  const file = await storeFile(ctx, input, async (tx, stored) => {
    await addDefaultLink({ ...ctx, db: tx }, stored.id);
    if (share_with_my_teams) await writeTeamSharing({ ...ctx, db: tx }, stored, true);
  });
  return readFile(ctx, file.id);
}

/** Rows first, bytes after the commit: a crash in between leaves unreachable bytes, never a broken file. */
async function deleteFiles(ctx: FileContext, ids?: readonly string[]): Promise<string[]> {
  const gone = await ctx.db.transaction(async (tx) => {
    const rows = await queries.deleteOwn(tx, ctx.actor.user_id, ids);
    for (const { id, filename } of rows) {
      await recordAudit(tx, ctx, {
        action: 'file.deleted',
        object_kind: 'file',
        object_id: id,
        object_name: filename,
      });
    }
    return rows;
  });
  for (const { id, storage_key } of gone) {
    await ctx.files
      .remove(storage_key)
      .catch((error: unknown) =>
        ctx.log.error({ err: error, file_id: id }, 'the bytes of a deleted file could not be removed'),
      );
  }
  return gone.map((row) => row.id);
}

export async function deleteFile(ctx: FileContext, id: string): Promise<void> {
  await requireOwn(ctx, id);
  await deleteFiles(ctx, [id]);
}

export async function deleteAllFiles(ctx: FileContext): Promise<void> {
  await deleteFiles(ctx);
}

/** @returns with how many teams the file is shared then */
async function writeTeamSharing(ctx: FileContext, file: queries.FileRow, enabled: boolean): Promise<number> {
  if (!enabled) await queries.unshareWithTeams(ctx.db, file.id);
  const count = enabled ? await queries.shareWithTeams(ctx.db, file.id, ctx.actor.user_id) : 0;
  await recordAudit(ctx.db, ctx, {
    action: enabled ? 'file.shared_with_teams' : 'file.unshared_with_teams',
    object_kind: 'file',
    object_id: file.id,
    object_name: file.filename,
  });
  return count;
}

export async function setTeamSharing(
  ctx: FileContext,
  id: string,
  enabled: boolean,
): Promise<{ enabled: boolean; shared_team_count: number }> {
  const file = await requireOwn(ctx, id);
  const shared_team_count = await ctx.db.transaction((tx) =>
    writeTeamSharing({ ...ctx, db: tx }, file, enabled),
  );
  return { enabled, shared_team_count };
}

/**
 * Does one thing to several files; what one of them refuses does not stop the others.
 *
 * @param refused called with the files that the caller may not change
 */
export async function forEachFile(
  ids: readonly string[],
  act: (id: string) => Promise<unknown>,
  refused: (ids: readonly string[]) => Promise<void>,
): Promise<BulkFileResult> {
  const result: BulkFileResult = { succeeded: [], failed: [] };
  for (const id of new Set(ids)) {
    try {
      await act(id);
      result.succeeded.push(id);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      result.failed.push({ id, reason: error.message });
    }
  }
  if (result.failed.length > 0) await refused(result.failed.map(({ id }) => id));
  return result;
}
