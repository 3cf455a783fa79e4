import type { McpSession } from '@millrace/contracts';
import { isJsonObject, type JsonObject } from '@millrace/engine';
import { and, desc, eq, gt, lte } from 'drizzle-orm';
import { notFound, unauthenticated } from '../../core/app-error.ts';
import { recordAudit } from '../../database/audit.ts';
import type { Db } from '../../database/database.ts';
import { mcpServers, mcpSessions } from '../../database/schema/index.ts';
import type { Needs } from '../../services.ts';
import { holdServer } from './queries.ts';

const LONGEST_NAME = 200;
/** Sessions that a person is shown; those of processes that died are among them, and older than those that came in their place. */
const MOST_LISTED = 200;
const UNPRINTED = /[\p{Cc}\p{Cf}\p{Cs}]/gu;

type NewSession = Pick<
  typeof mcpSessions.$inferSelect,
  'id' | 'user_id' | 'server_id' | 'created_at' | 'expires_at'
>;

/**
 * Notes a stream that opens, and forgets those of processes that died.
 *
 * @throws AppError `unauthenticated` when the server was deleted since its key was checked
 */
export async function insertSession(db: Db, session: NewSession, now: Date): Promise<void> {
  await db.delete(mcpSessions).where(lte(mcpSessions.expires_at, now));
  const { user_id, server_id: id } = session;
  await db.transaction(async (tx) => {
    if (id !== null && !(await holdServer(tx, { user_id, id })))
      throw unauthenticated('The server was deleted');
    await tx.insert(mcpSessions).values(session);
  });
}

export const deleteSession = (db: Db, id: string) => db.delete(mcpSessions).where(eq(mcpSessions.id, id));

/** Whether the session has not been ended. */
export async function isSession(db: Db, id: string): Promise<boolean> {
  const rows = await db.select({ id: mcpSessions.id }).from(mcpSessions).where(eq(mcpSessions.id, id));
  return rows.length > 0;
}

function nameIn({ params }: JsonObject): string | undefined {
  const info = isJsonObject(params) ? params['clientInfo'] : undefined;
  const name = isJsonObject(info) ? (info['title'] ?? info['name']) : undefined;
  // Invisible characters and those that change the direction of text would let a name look like another one.
  if (typeof name !== 'string') return undefined;
  return name.replace(UNPRINTED, '').trim().slice(0, LONGEST_NAME) || undefined;
}

/** Notes what a message says about its session: the name of the client, the time of a call. */
export async function noteMessage(
  { db, now }: Needs<'db' | 'now'>,
  id: string,
  message: JsonObject,
): Promise<void> {
  const { method } = message;
  const client_name = method === 'initialize' ? nameIn(message) : undefined;
  const last_call_at = method === 'tools/call' ? new Date(now()) : undefined;
  if (client_name === undefined && last_call_at === undefined) return;
  await db
    .update(mcpSessions)
    .set({ ...(client_name ? { client_name } : {}), ...(last_call_at ? { last_call_at } : {}) })
    .where(eq(mcpSessions.id, id));
}

/** @param isOpen whether a process holds the stream: one that died could not remove its sessions */
export async function listSessions(
  { db, actor, now }: Needs<'db' | 'actor' | 'now'>,
  isOpen: (id: string) => Promise<boolean>,
): Promise<McpSession[]> {
  const rows = await db
    .select({ session: mcpSessions, server_name: mcpServers.name })
    .from(mcpSessions)
    .leftJoin(mcpServers, eq(mcpServers.id, mcpSessions.server_id))
    .where(and(eq(mcpSessions.user_id, actor.user_id), gt(mcpSessions.expires_at, new Date(now()))))
    .orderBy(desc(mcpSessions.created_at), desc(mcpSessions.id))
    .limit(MOST_LISTED);
  const open = await Promise.all(rows.map(({ session }) => isOpen(session.id)));
  return rows
    .filter((_, index) => open[index])
    .map(({ session, server_name }) => ({
      id: session.id,
      client_name: session.client_name,
      server_id: session.server_id,
      server_name,
      created_at: session.created_at.toISOString(),
      last_call_at: session.last_call_at?.toISOString() ?? null,
      expires_at: session.expires_at.toISOString(),
    }));
}

/** The process that holds the stream closes it on the hint; the token of the session is refused from now on. */
export async function endSession(
  ctx: Needs<'db' | 'actor' | 'now' | 'broadcast'>,
  id: string,
): Promise<void> {
  const { user_id } = ctx.actor;
  await ctx.db.transaction(async (tx) => {
    const [ended] = await tx
      .delete(mcpSessions)
      .where(and(eq(mcpSessions.id, id), eq(mcpSessions.user_id, user_id)))
      .returning();
    if (!ended) throw notFound('Session');
    await recordAudit(tx, ctx, {
      action: 'mcp_session.ended',
      object_kind: 'mcp_session',
      object_id: id,
      ...(ended.client_name === null ? {} : { object_name: ended.client_name }),
    });
  });
  ctx.broadcast.publish('access_changed', `user:${user_id}`);
}
