import { VECTOR_STORE_BACKENDS, type VectorStore } from '@millrace/contracts';
import { conflict, forbidden, invalidField, notFound } from '../../core/app-error.ts';
import { newId } from '../../core/ids.ts';
import { recordAudit } from '../../database/audit.ts';
import type { Needs } from '../../services.ts';
import { findUsable } from '../credentials/service.ts';
import { nameIsTaken, sharedBy, unlessTaken } from '../shares/reach.ts';
import { vectorStoreShareable } from '../shares/shareable.ts';
import * as documents from './documents/service.ts';
import type { StoreNeeds } from './open-store.ts';
import * as queries from './queries.ts';

type Reader = Needs<'db' | 'actor'>;
type Writer = Needs<'db' | 'actor' | 'now' | 'request_id' | 'client_ip'>;

async function storeRecord(
  needs: StoreNeeds,
  { store, backend, ...row }: queries.VisibleRow,
): Promise<VectorStore> {
  return {
    id: store.id,
    name: store.name,
    description: store.description,
    collection_name: store.collection_name,
    backend,
    credential_id: row.rank === 0 ? store.credential_id : null,
    owner_id: store.owner_id,
    created_at: store.created_at.toISOString(),
    updated_at: store.updated_at.toISOString(),
    stats: await documents.loadStats(needs, store),
    ...sharedBy(row),
  };
}

export async function listStores(needs: StoreNeeds, ctx: Reader): Promise<VectorStore[]> {
  const rows = await queries.listVisible(ctx.db, ctx.actor.user_id);
  return Promise.all(rows.map((row) => storeRecord(needs, row)));
}

export async function requireVisible(ctx: Reader, id: string): Promise<queries.VisibleRow> {
  const row = await queries.visibleById(ctx.db, ctx.actor.user_id, id);
  if (!row) throw notFound('Vector store');
  return row;
}

async function requireOwn(ctx: Reader, id: string): Promise<queries.VectorStoreRow> {
  const { store, rank } = await requireVisible(ctx, id);
  if (rank !== 0) throw forbidden('Only the owner of the vector store may do this');
  return store;
}

/** Users of a share may add documents. Replacing one deletes the old one, which only the owner may do. */
export async function requireUpload(
  ctx: Reader,
  { id, override }: { id: string; override: boolean },
): Promise<queries.VectorStoreRow> {
  const { store, rank } = await requireVisible(ctx, id);
  if (override && rank !== 0) {
    throw forbidden(
      'Only the owner of the vector store may replace documents: leave out override_duplicates',
    );
  }
  return store;
}

export async function readStore(needs: StoreNeeds, ctx: Reader, id: string): Promise<VectorStore> {
  return storeRecord(needs, await requireVisible(ctx, id));
}

async function requireBackend(ctx: Reader, credential_id: string): Promise<void> {
  const found = await findUsable(ctx, credential_id);
  if (found && VECTOR_STORE_BACKENDS.has(found.credential.type)) return;
  throw invalidField(['body', 'credential_id'], 'is no vector store credential that you can use');
}

export async function createStore(
  needs: StoreNeeds,
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
  return readStore(needs, ctx, id);
}

export async function updateStore(
  needs: StoreNeeds,
  ctx: Writer,
  { id, ...input }: { id: string; name?: string | null | undefined; description?: string | null | undefined },
): Promise<VectorStore> {
  await ctx.db.transaction(async (tx) => {
    const store = await requireOwn({ ...ctx, db: tx }, id);
    const name = input.name ?? store.name;
    const wanted = { owner_id: store.owner_id, name, except_id: id };
    const taken = () => conflict(`You already have a vector store named "${name}"`);
    if (await nameIsTaken(tx, vectorStoreShareable, wanted)) throw taken();
    const description = typeof input.description === 'string' ? input.description || null : store.description;
    const change = { name, description, updated_at: new Date(ctx.now()) };
    await unlessTaken(queries.updateStore(tx, id, change), taken);
    await recordAudit(tx, ctx, {
      action: 'vector_store.updated',
      object_kind: 'vector_store',
      object_id: id,
      object_name: name,
    });
  });
  return readStore(needs, ctx, id);
}

/** A collection in the service's own database goes with its store, for nothing else could reach it. */
export async function deleteStore(
  needs: StoreNeeds,
  ctx: Writer,
  { id, with_collection }: { id: string; with_collection: boolean },
): Promise<void> {
  const store = await requireOwn(ctx, id);
  await documents.dropCollection(needs, store, with_collection);
  await ctx.db.transaction(async (tx) => {
    await requireOwn({ ...ctx, db: tx }, id);
    await queries.deleteStore(tx, id);
    await recordAudit(tx, ctx, {
      action: 'vector_store.deleted',
      object_kind: 'vector_store',
      object_id: id,
      object_name: store.name,
    });
  });
}

export async function cloneStore(needs: StoreNeeds, ctx: Writer, id: string): Promise<VectorStore> {
  const { store } = await requireVisible(ctx, id);
  const clone = await documents.cloneStore(needs, ctx, store);
  await recordAudit(ctx.db, ctx, {
    action: 'vector_store.created',
    object_kind: 'vector_store',
    object_id: clone.id,
    object_name: clone.name,
  });
  return readStore(needs, ctx, clone.id);
}

/** All entries of a source, or one entry. */
export async function removeEntries(
  needs: StoreNeeds,
  ctx: Writer,
  { id, ...which }: { id: string } & ({ source: string } | { point_id: string }),
): Promise<void> {
  const store = await requireOwn(ctx, id);
  await documents.withStore(needs, store, ({ index }) =>
    'source' in which ? index.removeWhere({ source: which.source }) : index.removeIds([which.point_id]),
  );
  await recordAudit(ctx.db, ctx, {
    action: 'vector_store.updated',
    object_kind: 'vector_store',
    object_id: id,
    object_name: store.name,
  });
}
