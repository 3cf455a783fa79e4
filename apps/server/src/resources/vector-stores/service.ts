import { VECTOR_STORE_BACKENDS, type VectorStore } from '@millrace/contracts';
import { conflict, forbidden, invalidField, notFound } from '../../core/app-error.ts';
import { newId } from '../../core/ids.ts';
import { recordAudit } from '../../database/audit.ts';
import type { Needs } from '../../execution/context.ts';
import { findUsable } from '../credentials/service.ts';
import * as queries from './queries.ts';

type Reader = Needs<'db' | 'actor'>;
type Writer = Needs<'db' | 'actor' | 'now' | 'request_id' | 'client_ip'>;

function storeRecord({ store, rank, owner_email, team_name, backend }: queries.VisibleRow): VectorStore {
  return {
    id: store.id,
    name: store.name,
    description: store.description,
    collection_name: store.collection_name,
    backend,
    credential_id: rank === 0 ? store.credential_id : null,
    owner_id: store.owner_id,
    created_at: store.created_at.toISOString(),
    updated_at: store.updated_at.toISOString(),
    is_shared: rank > 0,
    shared_by: rank > 0 ? owner_email : null,
    shared_by_team: rank === 2 ? team_name : null,
  };
}

export async function listStores(ctx: Reader): Promise<VectorStore[]> {
  return (await queries.listVisible(ctx.db, ctx.actor.user_id)).map(storeRecord);
}

async function requireVisible(ctx: Reader, id: string): Promise<queries.VisibleRow> {
  const row = await queries.visibleById(ctx.db, ctx.actor.user_id, id);
  if (!row) throw notFound('Vector store');
  return row;
}

async function requireOwn(ctx: Reader, id: string): Promise<queries.VectorStoreRow> {
  const { store, rank } = await requireVisible(ctx, id);
  if (rank !== 0) throw forbidden('Only the owner of the vector store may do this');
  return store;
}

export async function readStore(ctx: Reader, id: string): Promise<VectorStore> {
  return storeRecord(await requireVisible(ctx, id));
}

async function requireBackend(ctx: Reader, credential_id: string): Promise<void> {
  const found = await findUsable(ctx, credential_id);
  if (found && VECTOR_STORE_BACKENDS.has(found.credential.type)) return;
  throw invalidField(['body', 'credential_id'], 'is no vector store credential that you can use');
}

export async function createStore(
  ctx: Writer,
  input: {
    name: string;
    description?: string | null | undefined;
    credential_id: string;
    collection_name?: string | null | undefined;
  },
): Promise<VectorStore> {
  await requireBackend(ctx, input.credential_id);
  const id = newId();
  const now = new Date(ctx.now());
  await ctx.db.transaction(async (tx) => {
    const row = await queries.insertStore(tx, {
      id,
      owner_id: ctx.actor.user_id,
      name: input.name,
      description: input.description || null,
      collection_name: input.collection_name ?? `millrace_vs_${id.replaceAll('-', '')}`,
      credential_id: input.credential_id,
      created_at: now,
      updated_at: now,
    });
    if (!row) throw conflict('The name or the collection is in use');
    await recordAudit(tx, ctx, {
      action: 'vector_store.created',
      object_kind: 'vector_store',
      object_id: id,
      object_name: input.name,
    });
  });
  return readStore(ctx, id);
}

export async function updateStore(
  ctx: Writer,
  { id, ...input }: { id: string; name?: string | null | undefined; description?: string | null | undefined },
): Promise<VectorStore> {
  await ctx.db.transaction(async (tx) => {
    const store = await requireOwn({ ...ctx, db: tx }, id);
    const name = input.name ?? store.name;
    if (await queries.isTaken(tx, { owner_id: store.owner_id, name, except_id: id })) {
      throw conflict(`You already have a vector store named "${name}"`);
    }
    const description = typeof input.description === 'string' ? input.description || null : store.description;
    await queries.updateStore(tx, id, { name, description, updated_at: new Date(ctx.now()) });
    await recordAudit(tx, ctx, {
      action: 'vector_store.updated',
      object_kind: 'vector_store',
      object_id: id,
      object_name: name,
    });
  });
  return readStore(ctx, id);
}

export async function deleteStore(ctx: Writer, id: string): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const store = await requireOwn({ ...ctx, db: tx }, id);
    await queries.deleteStore(tx, id);
    await recordAudit(tx, ctx, {
      action: 'vector_store.deleted',
      object_kind: 'vector_store',
      object_id: id,
      object_name: store.name,
    });
  });
}
