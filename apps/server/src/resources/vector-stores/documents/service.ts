import { createHash, randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { VectorStore } from '@millrace/contracts';
import { NodeFailure, readTextAt } from '@millrace/engine';
import { AppError } from '../../../core/app-error.ts';
import { newId } from '../../../core/ids.ts';
import { limited } from '../../../core/limited.ts';
import { createMask } from '../../../execution/run/secrets/secrets-mask.ts';
import { sleepUntil } from '../../../execution/run/sleep.ts';
import { watchCalls } from '../../../execution/traces/watch-calls.ts';
import type { StoredPoint, VectorIndex } from '../../../ports/vector-index.ts';
import type { Needs, Services } from '../../../services.ts';
import { findUsable } from '../../credentials/service.ts';
import { chunksOfDocument, readDocument, requireReadableName } from '../../read-document.ts';
import { nameIsTaken } from '../../shares/reach.ts';
import { vectorStoreShareable } from '../../shares/shareable.ts';
import { openParts, type StoreNeeds, type StoreParts } from '../open-store.ts';
import * as queries from '../queries.ts';

type Reader = Needs<'db' | 'actor'>;
type Writer = Needs<'db' | 'actor' | 'now'>;

interface Haste {
  readonly longest_ms: number;
  /** Longest time for pauses between attempts, all together. */
  readonly max_wait_ms: number;
}

/** A large file has thousands of chunks, whose vectors take minutes. */
const PATIENT: Haste = { longest_ms: 15 * 60_000, max_wait_ms: 30_000 };
const QUICK: Haste = { longest_ms: 20_000, max_wait_ms: 5_000 };
/** A list of stores is not kept waiting by a server that is away. */
const AT_ONCE: Haste = { longest_ms: 3_000, max_wait_ms: 0 };
const PAGE_SIZE = 500;
/** Texts that become vectors and are stored before the next ones are read. */
const BATCH_SIZE = 96;

/** Works with an opened store; refusals of its servers are passed on in their words, without the secrets of the credential. */
export async function withStore<T>(
  needs: StoreNeeds,
  store: queries.VectorStoreRow,
  work: (parts: StoreParts) => Promise<T>,
  { longest_ms, max_wait_ms }: Haste = PATIENT,
): Promise<T> {
  let secrets: readonly string[] = [];
  const signal = AbortSignal.timeout(longest_ms);
  try {
    const parts = await openParts(needs, store, {
      mask: await createMask(needs.run_secrets, store.owner_id),
      signal,
      max_wait_ms,
      sleepUntil: (epoch_ms, ended) => sleepUntil(epoch_ms, ended, needs.now),
      createHooks: ({ id, name, secrets: hidden }) =>
        watchCalls(
          needs,
          { user_id: store.owner_id, source: 'vector_store', credential: { id, name } },
          { secrets: hidden },
        ),
    });
    secrets = parts.secrets;
    return await work(parts);
  } catch (error) {
    if (signal.aborted) {
      const message = `The vector store did not answer within ${longest_ms / 1000} s`;
      throw new AppError('unavailable', message, { cause: error });
    }
    if (!(error instanceof NodeFailure)) throw error;
    const { kind, message } = error.failure;
    const words = secrets.reduce((text, secret) => text.replaceAll(secret, '**'), message);
    throw new AppError(kind === 'credential' || kind === 'params' ? 'bad_request' : 'unavailable', words, {
      cause: error,
    });
  }
}

export interface Document {
  readonly upload: { readonly filename: string; readonly stream: AsyncIterable<Uint8Array> };
  readonly uploader_id: string;
  readonly max_bytes: number;
  /** Removes what the store has of a file with the same name. */
  readonly override: boolean;
}

/**
 * Reads a file, cuts it into chunks and stores them. A file whose content the store has already is not stored again; the ids
 * of chunks follow from name and content, so an upload that is repeated after a failure doubles nothing.
 */
export async function addDocument(
  needs: StoreNeeds & Pick<Services, 'parsers'>,
  store: queries.VectorStoreRow,
  { upload, uploader_id, max_bytes, override }: Document,
): Promise<{ chunks_processed: number; points_inserted: number }> {
  const source = upload.filename;
  requireReadableName(source);
  const bytes = await buffer(limited(upload.stream, max_bytes));
  const content_hash = createHash('sha256').update(bytes).digest('hex');
  const file_size = bytes.length;
  const reading = { parsers: needs.parsers, owner: uploader_id };
  const text = await readDocument(reading, { filename: source, bytes });
  const chunks = await chunksOfDocument(reading, source, text);
  if (chunks.length === 0)
    throw new AppError('bad_request', `"${source}" holds headings and no text below them`);
  return withStore(needs, store, async ({ index, embedder }) => {
    await index.prepare();
    const known = await index.count({ content_hash });
    if (!override && known >= chunks.length) return { chunks_processed: chunks.length, points_inserted: 0 };
    const ids = chunks.map((_, at) => chunkId(source, content_hash, at));
    for (let start = 0; start < chunks.length; start += BATCH_SIZE) {
      const batch = chunks.slice(start, start + BATCH_SIZE);
      const vectors = await embedder.embed(batch);
      const points = batch.map((text, at) => ({
        id: ids[start + at] ?? '',
        text,
        vector: vectors[at] ?? [],
        metadata: { source, file_size, content_hash, chunk: start + at },
      }));
      await index.put(points);
    }
    // Not before all of it is stored: what fails on the way leaves the former file as it was.
    if (override) await index.removeWhere({ source }, ids);
    return { chunks_processed: chunks.length, points_inserted: chunks.length };
  });
}

function chunkId(source: string, content_hash: string, at: number): string {
  const hex = createHash('sha256').update(`${source}\0${content_hash}\0${at}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

interface NamedFile {
  readonly filename: string;
  readonly file_size: number;
}

/** Those of the files that the store has under the same name and with the same size. */
export const findDuplicates = (
  needs: StoreNeeds,
  store: queries.VectorStoreRow,
  files: readonly NamedFile[],
) =>
  withStore(
    needs,
    store,
    async ({ index }) => {
      const duplicates: (NamedFile & { chunk_count: number })[] = [];
      for (const { filename, file_size } of files) {
        const chunk_count = await index.count({ source: filename, file_size });
        if (chunk_count > 0) duplicates.push({ filename, file_size, chunk_count });
      }
      return { duplicates };
    },
    QUICK,
  );

/** Entries by their source, in the order of its chunks. */
export const listItems = (
  needs: StoreNeeds,
  store: queries.VectorStoreRow,
  { limit, text_truncate_length }: { limit: number; text_truncate_length: number },
) =>
  withStore(
    needs,
    store,
    async ({ index }) => {
      const [points, total_items] = [await firstPoints(index, limit), await index.count({})];
      const sources = new Map<string, StoredPoint[]>();
      for (const point of points) {
        const source = readTextAt(point.metadata, 'source');
        const known = sources.get(source);
        if (known) known.push(point);
        else sources.set(source, [point]);
      }
      return {
        total_items,
        sources: [...sources].sort(byName).map(([source, entries]) => ({
          source,
          file_size: numberIn(entries[0], 'file_size') ?? null,
          chunk_count: entries.length,
          items: entries
            .sort((a, b) => (numberIn(a, 'chunk') ?? 0) - (numberIn(b, 'chunk') ?? 0))
            .map(({ id, text, metadata }) => ({
              id,
              text: text.slice(0, text_truncate_length),
              source,
              metadata,
            })),
        })),
      };
    },
    QUICK,
  );

const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => a.localeCompare(b);

async function firstPoints(index: VectorIndex, most: number): Promise<StoredPoint[]> {
  const points: StoredPoint[] = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<VectorIndex['list']>> = await index.list({
      limit: Math.min(PAGE_SIZE, most - points.length),
      after,
    });
    points.push(...page.points);
    after = page.next;
  } while (after !== null && points.length < most);
  return points;
}

const numberIn = (point: StoredPoint | undefined, key: string): number | undefined => {
  const value = point?.metadata[key];
  return typeof value === 'number' ? value : undefined;
};

/** Finds what a search of the rag node would find. */
export const searchStore = (
  needs: StoreNeeds,
  store: queries.VectorStoreRow,
  { query, limit }: { query: string; limit: number },
) =>
  withStore(
    needs,
    store,
    async ({ index, embedder }) => {
      const [vector = []] = await embedder.embed([query]);
      return { results: await index.search(vector, { limit, filter: {} }) };
    },
    QUICK,
  );

/** How full a store is; null when its server does not answer. */
export async function loadStats(
  needs: StoreNeeds,
  store: queries.VectorStoreRow,
): Promise<VectorStore['stats']> {
  try {
    const count = await withStore(needs, store, ({ index }) => index.count({}), AT_ONCE);
    return { vector_count: count, points_count: count, status: 'green' };
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/**
 * A private collection always goes. Where the credential or the server is gone, only the database of this service is left
 * to look in, and the record goes in any case.
 */
export async function dropCollection(
  needs: StoreNeeds,
  store: queries.VectorStoreRow,
  is_wanted: boolean,
): Promise<void> {
  const drop = ({ index }: StoreParts) => (is_wanted || index.is_private ? index.drop() : Promise.resolve());
  await withStore(needs, store, drop, QUICK).catch((error: unknown) => {
    if (is_wanted || !(error instanceof AppError)) throw error;
    return needs.vector_indexes.dropOwn(store.collection_name);
  });
}

/** A store of the caller with the entries of another; the caller must be able to use its credential. */
export async function cloneStore(
  needs: StoreNeeds,
  ctx: Writer & Reader,
  store: queries.VectorStoreRow,
): Promise<queries.VectorStoreRow> {
  const usable = store.credential_id === null ? undefined : await findUsable(ctx, store.credential_id);
  if (!usable) throw new AppError('forbidden', 'Cloning needs a share of the credential of the vector store');
  const now = new Date(ctx.now());
  const clone = await queries.insertStore(ctx.db, {
    ...store,
    id: newId(),
    owner_id: ctx.actor.user_id,
    name: await freeName(ctx, store.name),
    collection_name: `millrace_vs_${randomUUID().replaceAll('-', '')}`,
    created_at: now,
    updated_at: now,
  });
  if (!clone) throw new AppError('conflict', 'The name is in use');
  const copied = withStore(needs, store, ({ index: from }) =>
    withStore(needs, clone, async ({ index: to }) => {
      await to.prepare();
      let after: string | null = null;
      do {
        const page: Awaited<ReturnType<VectorIndex['list']>> = await from.list({
          limit: PAGE_SIZE,
          after,
          with_vectors: true,
        });
        await to.put(page.points.map((point) => ({ ...point, vector: point.vector ?? [] })));
        after = page.next;
      } while (after !== null);
    }),
  );
  await copied.catch(async (error: unknown) => {
    // The reason of the failure is reported, even if what was copied cannot be removed.
    await dropCollection(needs, clone, true).catch(() => undefined);
    await queries.deleteStore(ctx.db, clone.id).catch(() => undefined);
    throw error;
  });
  return clone;
}

async function freeName(ctx: Reader, name: string): Promise<string> {
  for (let count = 1; ; count++) {
    const candidate = `${name.slice(0, 240)} (copy${count === 1 ? '' : ` ${count}`})`;
    const own = { owner_id: ctx.actor.user_id, name: candidate, except_id: newId() };
    if (!(await nameIsTaken(ctx.db, vectorStoreShareable, own))) return candidate;
  }
}
