import { z } from 'zod';
import { idParams, timestamp, uuid } from './common.ts';
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
  summary: 'Delete the record of a store and its shares',
  auth: 'session',
  params: idParams,
  errors: ['forbidden', 'not_found'],
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
  ...Object.values(vectorStoreUserShares),
  ...Object.values(vectorStoreTeamShares),
];
