import { randomBytes } from 'node:crypto';
import type { FileLink } from '@millrace/contracts';
import { HOUR_MS } from '@millrace/engine/units';
import type { FileLinkChange } from '@millrace/nodes/runtime';
import { AppError, notFound } from '../../core/app-error.ts';
import { hashPassword, passwordFits } from '../../core/secrets/passwords.ts';
import { recordAudit } from '../../database/audit.ts';
import type { Db } from '../../database/database.ts';
import type { Needs } from '../../services.ts';
import type { AttemptLimit } from './attempts.ts';
import * as queries from './queries.ts';

type Config = Needs<'config'>['config'];
type Writer = Needs<'db' | 'actor' | 'config' | 'now' | 'request_id' | 'client_ip'>;
type LinkChange = Partial<Pick<queries.LinkRow, 'password_hash' | 'expires_at' | 'max_downloads'>>;

/** User name of a link with a password. */
const USER = 'file';

/** 32 random bytes: anyone who has it may download, so it must not be guessable. */
export const newToken = (): string => randomBytes(32).toString('base64url');

const base = (config: Config): string => config.PUBLIC_URL?.replace(/\/+$/, '') ?? '';

/** A path of this and a token opens a file to everyone who has it. */
export const LINK_PATH = '/api/files/dl/';

export const linkAddress = (config: Config, token: string): string => `${base(config)}${LINK_PATH}${token}`;

function linkRecord(config: Config, row: queries.LinkRow): FileLink {
  const basic_auth_enabled = row.password_hash !== null;
  return {
    id: row.id,
    token: row.token,
    download_url: basic_auth_enabled
      ? `${base(config)}/api/files/ba/${row.id}`
      : linkAddress(config, row.token),
    basic_auth_enabled,
    expires_at: row.expires_at?.toISOString() ?? null,
    download_count: row.download_count,
    max_downloads: row.max_downloads,
    created_at: row.created_at.toISOString(),
  };
}

export async function listLinks(ctx: Needs<'db' | 'config'>, file_id: string): Promise<FileLink[]> {
  return (await queries.listLinks(ctx.db, file_id)).map((row) => linkRecord(ctx.config, row));
}

/** Gives a new file its public link; in the transaction of the file. Answers the address. */
export async function addDefaultLink(ctx: Needs<'db' | 'config'>, file_id: string): Promise<string> {
  const link = await queries.insertLink(ctx.db, { file_id, token: newToken(), is_default: true });
  return linkAddress(ctx.config, link.token);
}

export interface LinkInput {
  readonly expires_hours?: number | null | undefined;
  readonly basic_auth_password?: string | null | undefined;
  readonly max_downloads?: number | null | undefined;
}

export async function createLink(ctx: Writer, file: queries.FileRow, input: LinkInput): Promise<FileLink> {
  const { expires_hours, basic_auth_password, max_downloads } = input;
  const now = ctx.now();
  const password_hash = basic_auth_password ? await hashPassword(basic_auth_password) : null;
  const row = await ctx.db.transaction(async (tx) => {
    await recordAudit(tx, ctx, {
      action: 'file.link_created',
      object_kind: 'file',
      object_id: file.id,
      object_name: file.filename,
      details: { expires_hours, max_downloads, password: password_hash !== null },
    });
    return queries.insertLink(tx, {
      file_id: file.id,
      token: newToken(),
      password_hash,
      expires_at: expires_hours ? new Date(now + expires_hours * HOUR_MS) : null,
      max_downloads: max_downloads ?? null,
      created_at: new Date(now),
    });
  });
  return linkRecord(ctx.config, row);
}

async function toColumns(change: FileLinkChange, now: number): Promise<LinkChange> {
  if ('password' in change) return { password_hash: await hashPassword(change.password) };
  if ('expires_hours' in change) return { expires_at: new Date(now + change.expires_hours * HOUR_MS) };
  return { max_downloads: change.max_downloads };
}

/** Limits the public link of a file, so that its address stays the one that others have already. */
export async function changeDefaultLink(
  ctx: Needs<'db' | 'actor' | 'now'>,
  file: queries.FileRow,
  change: FileLinkChange,
): Promise<void> {
  const now = ctx.now();
  const columns = await toColumns(change, now);
  await ctx.db.transaction(async (tx) => {
    await recordAudit(tx, ctx, {
      action: 'file.link_changed',
      object_kind: 'file',
      object_id: file.id,
      object_name: file.filename,
      details: { changed: Object.keys(columns) },
    });
    const row = { file_id: file.id, token: newToken(), created_at: new Date(now), ...columns };
    await queries.writeDefaultLink(tx, row);
  });
}

export async function deleteLink(ctx: Writer, file: queries.FileRow, link_id: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    if (!(await queries.deleteLink(tx, file.id, link_id))) throw notFound('Link');
    await recordAudit(tx, ctx, {
      action: 'file.link_deleted',
      object_kind: 'file',
      object_id: file.id,
      object_name: file.filename,
    });
  });
}

const challenge = () =>
  new AppError('unauthenticated', 'The file is password-protected; the user name is "file"', {
    headers: { 'WWW-Authenticate': 'Basic realm="file", charset="UTF-8"' },
  });

/** Password of `Authorization: Basic` when the user name is the one of links (RFC 7617). */
function basicPassword(authorization: string | undefined): string | undefined {
  const encoded = /^basic +([A-Za-z0-9+/=]+) *$/i.exec(authorization ?? '')?.[1];
  if (!encoded) return undefined;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon !== -1 && text.slice(0, colon) === USER ? text.slice(colon + 1) : undefined;
}

interface LinkRequest {
  readonly authorization: string | undefined;
  readonly attempts: AttemptLimit;
  /** False for HEAD: a check without content does not count as a download. */
  readonly downloads: boolean;
}

type Caller = Needs<'db' | 'now' | 'client_ip'>;

/** A file that a link leads to. */
export interface LinkedFile {
  readonly file: queries.FileRow;
  /** Whether its downloads are limited: then each part would count as one, so that it is sent as a whole. */
  readonly is_limited: boolean;
}

async function use(ctx: Caller, link: queries.LinkRow, { downloads }: LinkRequest): Promise<LinkedFile> {
  const allowed = !downloads || (await queries.countDownload(ctx.db, link.id, new Date(ctx.now())));
  const file = allowed ? await queries.fileById(ctx.db, link.file_id) : undefined;
  if (!file) throw notFound('File');
  return { file, is_limited: link.max_downloads !== null };
}

async function withPassword(
  ctx: Caller,
  links: readonly queries.LinkRow[],
  { authorization, attempts }: LinkRequest,
): Promise<queries.LinkRow> {
  const password = basicPassword(authorization);
  if (password === undefined) throw challenge();
  const key = `${links[0]?.file_id}:${ctx.client_ip}`;
  const succeeded = attempts.begin(key);
  for (const link of links) {
    if (!(await passwordFits(link.password_hash ?? undefined, password))) continue;
    succeeded();
    return link;
  }
  throw challenge();
}

/** The file of a link; counts the download. Expired, used up and unknown links are not told apart. */
export async function fileOfToken(ctx: Caller, token: string, request: LinkRequest): Promise<LinkedFile> {
  const link = await queries.aliveLinkByToken(ctx.db, token, new Date(ctx.now()));
  if (!link) throw notFound('File');
  if (link.password_hash !== null) await withPassword(ctx, [link], request);
  return use(ctx, link, request);
}

/** The file of a link with a password. */
export async function fileOfPassword(ctx: Caller, id: string, request: LinkRequest): Promise<LinkedFile> {
  const links = await queries.aliveLinksWithPassword(ctx.db, id, new Date(ctx.now()));
  if (links.length === 0) throw notFound('File');
  return use(ctx, await withPassword(ctx, links, request), request);
}

/** Removes links that have expired, for the daily job. */
export const purgeFileLinks = (db: Db, now: Date): Promise<number> => queries.deleteDeadLinks(db, now);
