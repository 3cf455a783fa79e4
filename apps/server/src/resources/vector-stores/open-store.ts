import { NodeFailure } from '@millrace/engine';
import type { VectorStore } from '@millrace/nodes/runtime';
import type { OpenedStore, StoreOpening, VectorStores } from '../../ports/run/vector-stores.ts';
import type { VectorIndex } from '../../ports/vector-index.ts';
import type { Services } from '../../services.ts';
import { createEmbedder, type Embedder } from './embedding.ts';
import { type VectorStoreRow, visibleById } from './queries.ts';

export type StoreNeeds = Pick<
  Services,
  'database' | 'egress' | 'run_secrets' | 'now' | 'vector_indexes' | 'traces' | 'budgets'
>;
export type Patience = Pick<StoreOpening, 'signal' | 'max_wait_ms' | 'sleepUntil' | 'mask' | 'createHooks'>;

/** A store with what reads and fills it. */
export interface StoreParts {
  readonly index: VectorIndex;
  readonly embedder: Embedder;
  readonly secrets: readonly string[];
}

/**
 * Opens a store with the credential of its owner, which those it is shared with use without seeing it. Fails with kind
 * `credential` when the owner has no such credential any more.
 */
export async function openParts(
  needs: StoreNeeds,
  store: VectorStoreRow,
  { createHooks, mask, ...patience }: Patience,
): Promise<StoreParts> {
  const credential =
    store.credential_id === null
      ? undefined
      : await needs.run_secrets.credentialById(store.owner_id, store.credential_id);
  if (!credential) {
    throw new NodeFailure({
      kind: 'credential',
      message: `The credential of the vector store "${store.name}" is gone; choose another store`,
      field: 'vectorStoreId',
      final: true,
    });
  }
  const caller = { http: needs.egress, now: needs.now, ...patience, idempotency_key: '' };
  const asking = { ...caller, mask, ...createHooks(credential) };
  const embedder = createEmbedder(asking, credential.type, credential.config);
  const index = needs.vector_indexes.open({
    caller,
    credential,
    collection: store.collection_name,
    dimensions: embedder.dimensions,
  });
  return { index, embedder, secrets: credential.secrets };
}

/** Vector stores as runs see them. */
export function createVectorStores(needs: StoreNeeds): VectorStores {
  return {
    async open({ user_id, store_id, ...patience }: StoreOpening): Promise<OpenedStore | undefined> {
      const row = await visibleById(needs.database.db, user_id, store_id);
      if (!row) return undefined;
      const parts = await openParts(needs, row.store, patience);
      return { store: storeOver(row.store.name, parts), secrets: parts.secrets };
    },
  };
}

function storeOver(name: string, { index, embedder }: StoreParts): Omit<VectorStore, 'source'> {
  return {
    name,
    async put(entries) {
      await index.prepare();
      const vectors = await embedder.embed(entries.map(({ text }) => text));
      await index.put(entries.map((entry, at) => ({ ...entry, vector: vectors[at] ?? [] })));
    },
    async search(text, options) {
      const [vector = []] = await embedder.embed([text]);
      return index.search(vector, options);
    },
    count: (filter) => index.count(filter),
    removeWhere: (filter, except_ids) => index.removeWhere(filter, except_ids),
  };
}
