import { and, desc, eq, isNull } from 'drizzle-orm';
import type { Db } from '../../database/database.ts';
import { executionTokens, users } from '../../database/schema/index.ts';

export type ExecutionTokenRow = typeof executionTokens.$inferSelect;

export const insertToken = (db: Db, row: typeof executionTokens.$inferInsert) =>
  db.insert(executionTokens).values(row);

/** Tokens that this person made for the workflow, the newest first. */
export const listTokens = (db: Db, workflow_id: string, user_id: string): Promise<ExecutionTokenRow[]> =>
  db
    .select()
    .from(executionTokens)
    .where(and(eq(executionTokens.workflow_id, workflow_id), eq(executionTokens.user_id, user_id)))
    .orderBy(desc(executionTokens.created_at), desc(executionTokens.id));

export interface OwnToken {
  readonly id: string;
  readonly workflow_id: string;
  readonly user_id: string;
}

const isOwn = ({ id, workflow_id, user_id }: OwnToken) =>
  and(
    eq(executionTokens.id, id),
    eq(executionTokens.workflow_id, workflow_id),
    eq(executionTokens.user_id, user_id),
  );

export async function ownTokenExists(db: Db, token: OwnToken): Promise<boolean> {
  const rows = await db.select({ id: executionTokens.id }).from(executionTokens).where(isOwn(token));
  return rows.length > 0;
}

/** Revoked for good: a second call leaves the time of the first. */
export const revokeToken = (db: Db, token: OwnToken, now: Date) =>
  db
    .update(executionTokens)
    .set({ revoked_at: now })
    .where(and(isOwn(token), isNull(executionTokens.revoked_at)));

/** Whether the token was issued as it says and has not been revoked; its maker still has an account. */
export async function isTokenInForce(
  db: Db,
  { jti, workflow_id, user_id }: { jti: string; workflow_id: string; user_id: string },
): Promise<boolean> {
  const rows = await db
    .select({ id: executionTokens.id })
    .from(executionTokens)
    .innerJoin(users, eq(users.id, executionTokens.user_id))
    .where(
      and(
        eq(executionTokens.jti, jti),
        eq(executionTokens.workflow_id, workflow_id),
        eq(executionTokens.user_id, user_id),
        isNull(executionTokens.revoked_at),
      ),
    );
  return rows.length > 0;
}
