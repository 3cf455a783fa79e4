import { randomBytes } from 'node:crypto';
import { and, eq } from 'drizzle-orm';
import { newId } from '../../core/ids.ts';
import { tokenDigest } from '../../core/secrets/tokens.ts';
import type { Db } from '../../database/database.ts';
import { mcpKeys, mcpServers } from '../../database/schema/index.ts';
import type { Toolset } from './queries.ts';

/** A key in clear, for the one answer that shows it, and what is stored of it. */
export interface NewKey {
  readonly secret: string;
  readonly key_id: string;
  readonly key_hash: string;
}

/** 32 random bytes in hex. */
export function newKey(): NewKey {
  const secret = randomBytes(32).toString('hex');
  return { secret, key_id: newId(), key_hash: tokenDigest(secret) };
}

/** Replaces the key of a server; the id is new, too. */
export async function replaceKey(
  db: Db,
  { user_id, server_id }: Toolset,
  { key_id, key_hash, created_at }: Omit<NewKey, 'secret'> & { readonly created_at: Date },
): Promise<void> {
  if (server_id !== null) {
    const isServer = and(eq(mcpServers.id, server_id), eq(mcpServers.user_id, user_id));
    await db.update(mcpServers).set({ key_id, key_hash }).where(isServer);
    return;
  }
  const key = { id: key_id, key_hash, created_at };
  await db
    .insert(mcpKeys)
    .values({ user_id, ...key })
    .onConflictDoUpdate({ target: mcpKeys.user_id, set: key });
}

/** Whether the default server has a key; a named server always has one. */
export async function hasKey(db: Db, user_id: string): Promise<boolean> {
  const rows = await db.select({ id: mcpKeys.id }).from(mcpKeys).where(eq(mcpKeys.user_id, user_id));
  return rows.length > 0;
}

export interface KeyOwner {
  readonly key_id: string;
  readonly user_id: string;
}

/** A key by its secret or by its id, while it is the one of that server. */
type KeyProof = { readonly key_hash: string } | { readonly key_id: string };

/** The owner of a key of the server; null is the default one. A key of any other server is none here. */
export async function ownerOfKey(
  db: Db,
  server_id: string | null,
  proof: KeyProof,
): Promise<KeyOwner | undefined> {
  if (server_id === null) {
    const isKey = 'key_id' in proof ? eq(mcpKeys.id, proof.key_id) : eq(mcpKeys.key_hash, proof.key_hash);
    const [row] = await db
      .select({ key_id: mcpKeys.id, user_id: mcpKeys.user_id })
      .from(mcpKeys)
      .where(isKey);
    return row;
  }
  const isKey =
    'key_id' in proof ? eq(mcpServers.key_id, proof.key_id) : eq(mcpServers.key_hash, proof.key_hash);
  const [row] = await db
    .select({ key_id: mcpServers.key_id, user_id: mcpServers.user_id })
    .from(mcpServers)
    .where(and(eq(mcpServers.id, server_id), isKey));
  return row;
}
