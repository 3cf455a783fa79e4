import type { McpServer, McpServerDetails } from '@millrace/contracts';
import { conflict, notFound } from '../../core/app-error.ts';
import { newId } from '../../core/ids.ts';
import { recordAudit } from '../../database/audit.ts';
import type { Needs } from '../../services.ts';
import { lockPerson } from '../lock-person.ts';
import { mcpAddresses } from './address.ts';
import { newKey } from './keys.ts';
import * as queries from './queries.ts';
import { listWorkflows, type Writer } from './service.ts';

type Reader = Needs<'db' | 'actor'>;

/** Bounds what one person can make the page and the database hold. */
const MOST_SERVERS = 100;

const record = (
  { id, name, created_at }: Pick<queries.ServerRow, 'id' | 'name' | 'created_at'>,
  base_url: string,
): McpServer => ({ id, name, created_at: created_at.toISOString(), ...mcpAddresses(base_url, id) });

const notHere = () => notFound('MCP server');

async function requireServer({ db, actor }: Reader, id: string): Promise<queries.ServerRow> {
  const row = await queries.serverById(db, { user_id: actor.user_id, id });
  if (!row) throw notHere();
  return row;
}

/** @throws AppError 404, also for servers of other people */
export async function requireToolset(ctx: Reader, id: string): Promise<queries.Toolset> {
  const { user_id } = await requireServer(ctx, id);
  return { user_id, server_id: id };
}

/** The server of the person that an OAuth client asks for; the default one has no name. */
export async function serverFor(
  { db }: Needs<'db'>,
  { user_id, server_id }: queries.Toolset,
): Promise<{ toolset: queries.Toolset; name?: string } | undefined> {
  const toolset = { user_id, server_id };
  if (server_id === null) return { toolset };
  const row = await queries.serverById(db, { user_id, id: server_id });
  return row && { toolset, name: row.name };
}

/** @param base_url where clients reach the service, without a slash at the end */
export const listServers = async ({ db, actor }: Reader, base_url: string): Promise<McpServer[]> =>
  (await queries.listServers(db, actor.user_id)).map((row) => record(row, base_url));

export async function readServer(ctx: Reader, id: string, base_url: string): Promise<McpServerDetails> {
  const row = await requireServer(ctx, id);
  const workflows = await listWorkflows(ctx.db, { user_id: row.user_id, server_id: id });
  return { ...record(row, base_url), workflows };
}

const auditServer = (
  tx: Writer['db'],
  ctx: Writer,
  verb: string,
  { id, name }: { id: string; name: string },
) =>
  recordAudit(tx, ctx, {
    action: `mcp_server.${verb}`,
    object_kind: 'mcp_server',
    object_id: id,
    object_name: name,
  });

export async function createServer(
  ctx: Writer,
  name: string,
  base_url: string,
): Promise<McpServer & { mcp_api_key: string }> {
  const { user_id } = ctx.actor;
  const { secret, key_id, key_hash } = newKey();
  const row = { id: newId(), user_id, name, key_id, key_hash, created_at: new Date(ctx.now()) };
  await ctx.db.transaction(async (tx) => {
    await lockPerson(tx, user_id);
    if ((await queries.listServers(tx, user_id)).length >= MOST_SERVERS)
      throw conflict(`You have ${MOST_SERVERS} MCP servers already; delete one first`);
    if (!(await queries.insertServer(tx, row)))
      throw conflict(`You already have an MCP server named "${name}"`);
    await auditServer(tx, ctx, 'created', row);
  });
  return { ...record(row, base_url), mcp_api_key: secret };
}

/** Its key, its open streams and what OAuth clients were granted on it end with it. */
export async function deleteServer(ctx: Writer, id: string): Promise<void> {
  const { user_id } = ctx.actor;
  await ctx.db.transaction(async (tx) => {
    const name = await queries.deleteServer(tx, { user_id, id });
    if (name === undefined) throw notHere();
    await auditServer(tx, ctx, 'deleted', { id, name });
  });
  ctx.broadcast.publish('access_changed', `user:${user_id}`);
}
