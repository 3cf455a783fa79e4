import { and, desc, eq, gt, isNotNull, isNull, lt, lte, notExists, or, sql } from 'drizzle-orm';
import type { Db } from '../../database/database.ts';
import { mcpServers, oauthClients, oauthGrants } from '../../database/schema/index.ts';

export type OauthClient = typeof oauthClients.$inferSelect;
export type OauthGrantRow = typeof oauthGrants.$inferSelect;

export const insertClient = (db: Db, row: typeof oauthClients.$inferInsert) =>
  db.insert(oauthClients).values(row);

export async function clientById(db: Db, client_id: string): Promise<OauthClient | undefined> {
  const [row] = await db.select().from(oauthClients).where(eq(oauthClients.client_id, client_id));
  return row;
}

/** Clients without a grant that registered before that time: anyone can register, so they must not pile up. */
export const forgetUnusedClients = (db: Db, before: Date) =>
  db
    .delete(oauthClients)
    .where(
      and(
        lt(oauthClients.created_at, before),
        notExists(
          db
            .select({ one: sql`1` })
            .from(oauthGrants)
            .where(eq(oauthGrants.client_id, oauthClients.client_id)),
        ),
      ),
    );

export const insertGrant = (db: Db, row: typeof oauthGrants.$inferInsert) =>
  db.insert(oauthGrants).values(row);

/** Codes that were never exchanged, and grants whose token expired before `expired_before`. @returns how many there were */
export async function deleteOverGrants(
  db: Db,
  { now, expired_before }: { now: Date; expired_before: Date },
): Promise<number> {
  const lost = and(isNull(oauthGrants.token_hash), lte(oauthGrants.code_expires_at, now));
  const rows = await db
    .delete(oauthGrants)
    .where(or(lost, lte(oauthGrants.token_expires_at, expired_before)))
    .returning({ id: oauthGrants.id });
  return rows.length;
}

export async function grantByCode(db: Db, code_hash: string): Promise<OauthGrantRow | undefined> {
  const [row] = await db.select().from(oauthGrants).where(eq(oauthGrants.code_hash, code_hash));
  return row;
}

/** Makes the token of a code; false when another request was first. */
export async function claimCode(
  db: Db,
  id: string,
  token: { token_hash: string; token_expires_at: Date },
): Promise<boolean> {
  const rows = await db
    .update(oauthGrants)
    .set(token)
    .where(and(eq(oauthGrants.id, id), isNull(oauthGrants.token_hash), isNull(oauthGrants.revoked_at)))
    .returning({ id: oauthGrants.id });
  return rows.length > 0;
}

const isInForce = (now: Date) =>
  and(
    isNull(oauthGrants.revoked_at),
    isNotNull(oauthGrants.token_hash),
    gt(oauthGrants.token_expires_at, now),
  );

export async function grantByToken(
  db: Db,
  token_hash: string,
  now: Date,
): Promise<OauthGrantRow | undefined> {
  const [row] = await db
    .select()
    .from(oauthGrants)
    .where(and(eq(oauthGrants.token_hash, token_hash), isInForce(now)));
  return row;
}

export async function grantInForce(db: Db, id: string, now: Date): Promise<OauthGrantRow | undefined> {
  const [row] = await db
    .select()
    .from(oauthGrants)
    .where(and(eq(oauthGrants.id, id), isInForce(now)));
  return row;
}

export const queryGrants = (db: Db, user_id: string, now: Date) =>
  db
    .select({ grant: oauthGrants, client_name: oauthClients.name, server_name: mcpServers.name })
    .from(oauthGrants)
    .innerJoin(oauthClients, eq(oauthClients.client_id, oauthGrants.client_id))
    .leftJoin(mcpServers, eq(mcpServers.id, oauthGrants.server_id))
    .where(and(eq(oauthGrants.user_id, user_id), isInForce(now)))
    .orderBy(desc(oauthGrants.created_at), desc(oauthGrants.id));

/** The person whose grant it was; undefined when it was none of theirs, or over before. */
export async function revokeGrant(
  db: Db,
  { id, user_id }: { id: string; user_id?: string },
  now: Date,
): Promise<string | undefined> {
  const own = user_id === undefined ? undefined : eq(oauthGrants.user_id, user_id);
  const [row] = await db
    .update(oauthGrants)
    .set({ revoked_at: now })
    .where(and(eq(oauthGrants.id, id), own, isNull(oauthGrants.revoked_at)))
    .returning({ user_id: oauthGrants.user_id });
  return row?.user_id;
}
