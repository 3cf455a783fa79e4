import { z } from 'zod';
import { idParams, queryBoolean, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { sharedBy, teamShareEndpoints, userShareEndpoints } from './shares.ts';
import { storedName, storedText } from './text.ts';

/** Types of the credentials that reach a vector store (§2.7). */
export const VECTOR_STORE_BACKENDS: ReadonlySet<string> = new Set(['qdrant', 'pgvector', 'rag']);

export const vectorStore = z
  .object({
    id: uuid,
    name: z.string(),
    description: z.string().nullable(),
    /** Name of the collection in the backend. */
    collection_name: z.string(),
    /** Type of the credential that reaches the backend; null when that is gone. */
    backend: z.string().nullable(),
    /** Null for people it is shared with: the credential is shared separately (§5.8). */
    credential_id: uuid.nullable(),
    owner_id: uuid,
    created_at: timestamp,
    updated_at: timestamp,
    /** How full the store is; null when its server does not answer. */
    stats: z
      .object({ vector_count: z.number().int(), points_count: z.number().int(), status: z.string() })
      .nullable(),
    ...sharedBy,
  })
  .meta({ id: 'VectorStore' });
export type VectorStore = z.infer<typeof vectorStore>;

const tag = 'Vector stores';
const path = '/api/vector-stores';
const name = storedName(255);
const description = storedText(2_000);
const collection_name = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9_-]{1,200}$/, 'may hold letters, digits, _ and -');

export const listVectorStores = endpoint({
  id: 'listVectorStores',
  method: 'GET',
  path,
  tag,
  summary: 'Own stores by name, then those shared with the caller and with their teams',
  auth: 'session',
  response: z.array(vectorStore),
});

export const createVectorStore = endpoint({
  id: 'createVectorStore',
  method: 'POST',
  path,
  tag,
  summary: 'Register a vector store reached through a credential of the caller',
  auth: 'session',
  body: z.object({
    name,
    description: description.nullish(),
    credential_id: uuid,
    collection_name: collection_name.nullish(),
  }),
  response: vectorStore,
  status: 201,
  errors: ['conflict'],
});

export const readVectorStore = endpoint({
  id: 'readVectorStore',
  method: 'GET',
  path: `${path}/{id}`,
  tag,
  summary: 'One store',
  auth: 'session',
  params: idParams,
  response: vectorStore,
  errors: ['not_found'],
});

export const updateVectorStore = endpoint({
  id: 'updateVectorStore',
  method: 'PUT',
  path: `${path}/{id}`,
  tag,
  summary: 'Rename or describe a store',
  auth: 'session',
  params: idParams,
  body: z.object({ name: name.nullish(), description: description.nullish() }),
  response: vectorStore,
  errors: ['forbidden', 'not_found', 'conflict'],
});

export const deleteVectorStore = endpoint({
  id: 'deleteVectorStore',
  method: 'DELETE',
  path: `${path}/{id}`,
  tag,
  summary:
    'Delete a store and its shares; its collection too where that is wanted, or kept in the own database',
  auth: 'session',
  params: idParams,
  query: z.object({ delete_collection: queryBoolean.optional() }),
  errors: ['forbidden', 'not_found'],
});

const source = storedText(1_000);
const metadata = z.record(z.string(), z.json());
/** Errors for refusals by the servers of a store, in their words, and for answers that do not come. */
const outside = ['bad_request', 'unavailable'] as const;

export const cloneVectorStore = endpoint({
  id: 'cloneVectorStore',
  method: 'POST',
  path: `${path}/{id}/clone`,
  tag,
  summary: 'Copy a store with its entries to a collection of its own',
  auth: 'session',
  params: idParams,
  response: vectorStore,
  status: 201,
  errors: ['forbidden', 'not_found', 'conflict', ...outside],
});

export const documentAdded = z.object({
  /** Chunks that the file was cut into. */
  chunks_processed: z.number().int(),
  /** 0 when the store had the same content already. */
  points_inserted: z.number().int(),
});

export const uploadVectorStoreDocument = endpoint({
  id: 'uploadVectorStoreDocument',
  method: 'POST',
  path: `${path}/{id}/upload`,
  tag,
  summary: 'Add the form field `file`, in chunks: pdf, docx, md, markdown, txt, html, csv or json',
  auth: 'session',
  kind: 'raw',
  upload: 'form',
  params: idParams,
  query: z.object({
    override_duplicates: queryBoolean.optional().meta({
      description:
        'Replaces what the store has of a file with the same name; only for the owner of the store',
    }),
  }),
  errors: ['forbidden', 'not_found', 'too_large', 'unsupported_media_type', ...outside],
});

export const checkVectorStoreDuplicates = endpoint({
  id: 'checkVectorStoreDuplicates',
  method: 'POST',
  path: `${path}/{id}/check-duplicates`,
  tag,
  summary: 'Which files the store has, by name and size',
  auth: 'session',
  params: idParams,
  body: z.object({
    files: z.array(z.object({ filename: source, file_size: z.number().int().min(0) })).max(200),
  }),
  response: z.object({
    duplicates: z.array(
      z.object({ filename: z.string(), file_size: z.number().int(), chunk_count: z.number().int() }),
    ),
  }),
  errors: ['not_found', ...outside],
});

export const vectorStoreItems = z.object({
  sources: z.array(
    z.object({
      /** Name of the file, or what a workflow named; empty for entries without one. */
      source: z.string(),
      file_size: z.number().nullable(),
      chunk_count: z.number().int(),
      items: z.array(z.object({ id: z.string(), text: z.string(), source: z.string(), metadata })),
    }),
  ),
  total_items: z.number().int(),
});
export type VectorStoreItems = z.infer<typeof vectorStoreItems>;

export const listVectorStoreItems = endpoint({
  id: 'listVectorStoreItems',
  method: 'GET',
  path: `${path}/{id}/items`,
  tag,
  summary: 'Entries by their source',
  auth: 'session',
  params: idParams,
  query: z.object({
    limit: z.coerce.number().int().min(1).max(10_000).default(1_000),
    text_truncate_length: z.coerce.number().int().min(0).max(100_000).default(5_000),
  }),
  response: vectorStoreItems,
  errors: ['not_found', ...outside],
});

export const deleteVectorStoreSource = endpoint({
  id: 'deleteVectorStoreSource',
  method: 'DELETE',
  path: `${path}/{id}/items/by-source`,
  tag,
  summary: 'Delete every entry of a source',
  auth: 'session',
  params: idParams,
  query: z.object({ source }),
  errors: ['forbidden', 'not_found', ...outside],
});

export const deleteVectorStoreItem = endpoint({
  id: 'deleteVectorStoreItem',
  method: 'DELETE',
  path: `${path}/{id}/items/{point_id}`,
  tag,
  summary: 'Delete an entry',
  auth: 'session',
  params: idParams.extend({ point_id: uuid }),
  errors: ['forbidden', 'not_found', ...outside],
});

export const searchVectorStore = endpoint({
  id: 'searchVectorStore',
  method: 'POST',
  path: `${path}/{id}/search`,
  tag,
  summary: 'The entries nearest in meaning to a text, best first',
  auth: 'session',
  params: idParams,
  body: z.object({ query: storedText(10_000).min(1), limit: z.number().int().min(1).max(100).default(5) }),
  response: z.object({
    results: z.array(z.object({ id: z.string(), text: z.string(), score: z.number(), metadata })),
  }),
  errors: ['not_found', ...outside],
});

const shared = { name: 'vectorStore', path, tag };
export const vectorStoreUserShares = userShareEndpoints(shared);
export const vectorStoreTeamShares = teamShareEndpoints(shared);

export const vectorStoreEndpoints = [
  listVectorStores,
  createVectorStore,
  readVectorStore,
  updateVectorStore,
  deleteVectorStore,
  cloneVectorStore,
  uploadVectorStoreDocument,
  checkVectorStoreDuplicates,
  listVectorStoreItems,
  deleteVectorStoreSource,
  deleteVectorStoreItem,
  searchVectorStore,
  ...Object.values(vectorStoreUserShares),
  ...Object.values(vectorStoreTeamShares),
];
