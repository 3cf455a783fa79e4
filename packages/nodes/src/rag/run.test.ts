import { type JsonObject, NodeFailure } from '@millrace/engine';
import { expect, test } from 'vitest';
import { implementations } from '../runtime.ts';
import type { FoundEntry, MetadataFilter, StoredEntry, VectorStore } from '../services.ts';
import { egressTo } from '../testing/real-egress.ts';
import { runNode } from '../testing/run-node.ts';
import { type SeenRequest, type ServerAnswer, serveJson } from '../testing/servers/json-server.ts';

interface Asked {
  readonly text: string;
  readonly limit: number;
  readonly filter: MetadataFilter;
}

/** A store in memory; entries are found in the order in which they were put. */
function memoryStore() {
  const entries: StoredEntry[] = [];
  const asked: Asked[] = [];
  const matches = ({ metadata }: StoredEntry, filter: MetadataFilter) =>
    Object.entries(filter).every(([key, value]) => metadata[key] === value);
  const store: VectorStore = {
    name: 'Handbook',
    source: 'workflow:Import',
    put(given) {
      for (const entry of given) {
        const at = entries.findIndex(({ id }) => id === entry.id);
        entries.splice(at < 0 ? entries.length : at, at < 0 ? 0 : 1, entry);
      }
      return Promise.resolve();
    },
    search(text, { limit, filter }) {
      asked.push({ text, limit, filter });
      const found: FoundEntry[] = entries
        .filter((entry) => matches(entry, filter))
        .map((entry, at) => ({ ...entry, score: 0.9 - at / 10 }));
      return Promise.resolve(found.slice(0, limit));
    },
    count: (filter) => Promise.resolve(entries.filter((entry) => matches(entry, filter)).length),
    removeWhere(filter, except_ids = []) {
      const stays = (entry: StoredEntry) => !matches(entry, filter) || except_ids.includes(entry.id);
      entries.splice(0, entries.length, ...entries.filter(stays));
      return Promise.resolve();
    },
  };
  return { store, entries, asked };
}

/** https://docs.cohere.com/v1/reference/rerank, which puts the last document first here. */
function cohereApi({ method, path, headers, body }: SeenRequest): ServerAnswer {
  if (headers['authorization'] !== 'Bearer co-canary')
    return { status: 401, body: { message: 'invalid api token' } };
  if (method !== 'POST' || path !== '/v1/rerank') return { status: 404, body: { message: 'not found' } };
  const { model, query, documents, top_n, ...rest } = body as {
    documents: string[];
    top_n: number;
  } & JsonObject;
  if (typeof model !== 'string' || typeof query !== 'string' || Object.keys(rest).length > 0) {
    return { status: 400, body: { message: 'invalid request' } };
  }
  const results = documents.map((_, at) => ({
    index: documents.length - 1 - at,
    relevance_score: 0.9 - at / 10,
  }));
  return { body: { id: 'r', results: results.slice(0, top_n), meta: {} } };
}

async function run(data: JsonObject, { store } = memoryStore(), id = 'node-1') {
  const server = await serveJson(cohereApi);
  const result = await runNode(
    'rag',
    { vectorStoreId: 'v', ...data },
    {
      id,
      inputs: { start: { text: 'Öffnungszeiten: 9 bis 17 Uhr', lang: 'de' } },
      credentials: { c: { type: 'cohere', values: { api_key: 'co-canary' } } },
      services: {
        http: egressTo('https://api.cohere.com', server.url),
        vectorStore: () => Promise.resolve(store),
      },
    },
  );
  return { result, seen: server.seen };
}

const entry = (id: string, text: string, metadata: JsonObject = {}): StoredEntry => ({ id, text, metadata });

test('insert stores the text with its metadata, under an id that a repetition has too', async () => {
  const memory = memoryStore();
  const { entries } = memory;
  const data = { ragOperation: 'insert', documentMetadata: '{"lang": "$start.lang", "n": 1}' };
  const { result } = await run(data, memory);
  const point_id = entries[0]?.id ?? '';
  expect(result).toEqual({ output: { success: true, operation: 'insert', point_id } });
  expect(point_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(entries).toEqual([
    entry(point_id, 'Öffnungszeiten: 9 bis 17 Uhr', { source: 'workflow:Import', lang: 'de', n: 1 }),
  ]);
  await run(data, memory);
  expect(entries).toHaveLength(1);
  await run(data, memory, 'node-2');
  expect(entries).toHaveLength(2);
});

test('a source of its own is kept', async () => {
  const memory = memoryStore();
  await run({ ragOperation: 'insert', documentMetadata: { source: 'mail' } }, memory);
  expect(memory.entries[0]?.metadata).toEqual({ source: 'mail' });
});

test('upsert keeps the former document when the new one cannot be stored', async () => {
  const memory = memoryStore();
  memory.entries.push(entry('a', 'old', { doc: '7' }));
  const away = () => Promise.reject(new NodeFailure({ kind: 'upstream', message: 'the model is away' }));
  const store = { ...memory.store, put: away };
  const data = { ragOperation: 'upsert', documentIdField: 'doc', documentId: '7', documentContent: 'new' };
  const { result } = await run(data, { ...memory, store });
  expect(result).toMatchObject({ failure: { message: 'the model is away' } });
  expect(memory.entries).toEqual([entry('a', 'old', { doc: '7' })]);
});

test('upsert replaces every entry of the document and says how many there were', async () => {
  const memory = memoryStore();
  memory.entries.push(
    entry('a', 'old', { doc: '7' }),
    entry('b', 'old', { doc: '7' }),
    entry('c', 'x', { doc: '8' }),
  );
  const data = { ragOperation: 'upsert', documentIdField: 'doc', documentId: '7', documentContent: 'new' };
  const { result } = await run(data, memory);
  expect(result).toMatchObject({
    output: {
      operation: 'upsert',
      document_id: '7',
      replaced: true,
      replaced_count: 2,
      point_id: expect.any(String),
    },
  });
  expect(memory.entries.map(({ text, metadata }) => [text, metadata['doc']])).toEqual([
    ['x', '8'],
    ['new', '7'],
  ]);
});

test('delete removes the document; one that is not there is no error', async () => {
  const memory = memoryStore();
  memory.entries.push(entry('a', 'old', { doc_id: '7' }));
  const data = { ragOperation: 'delete', documentId: '7' };
  const expected = (deleted_count: number) => ({
    output: { success: true, operation: 'delete', deleted: deleted_count > 0, deleted_count },
  });
  expect((await run(data, memory)).result).toEqual(expected(1));
  expect((await run(data, memory)).result).toEqual(expected(0));
});

test('search asks for as many results as wanted, with the filter', async () => {
  const memory = memoryStore();
  memory.entries.push(entry('a', 'A', { lang: 'de' }), entry('b', 'B', { lang: 'en' }));
  const { result } = await run(
    {
      ragOperation: 'search',
      queryText: 'Wann offen?',
      searchLimit: '3',
      metadataFilters: '{"lang": "$start.lang"}',
    },
    memory,
  );
  expect(result).toEqual({
    output: {
      success: true,
      operation: 'search',
      query: 'Wann offen?',
      reranked: false,
      results: [{ id: 'a', text: 'A', score: 0.9, metadata: { lang: 'de' } }],
      count: 1,
    },
  });
  expect(memory.asked).toEqual([{ text: 'Wann offen?', limit: 3, filter: { lang: 'de' } }]);
});

test('the former name of the operation is understood', async () => {
  const memory = memoryStore();
  expect((await run({ operation: 'insert' }, memory)).result).toMatchObject({
    output: { operation: 'insert' },
  });
  expect(memory.entries).toHaveLength(1);
});

const RERANK = { ragOperation: 'search', enableReranker: true, rerankerCredentialId: 'c' };

test('a reranker gets more candidates and puts them in order', async () => {
  const memory = memoryStore();
  memory.entries.push(...['A', 'B', 'C'].map((text) => entry(text, text)));
  const { result, seen } = await run({ ...RERANK, searchLimit: 2 }, memory);
  expect(memory.asked).toMatchObject([{ limit: 20 }]);
  expect(seen[0]?.body).toMatchObject({ documents: ['A', 'B', 'C'], top_n: 2 });
  expect(result).toMatchObject({
    output: {
      reranked: true,
      count: 2,
      results: [
        { id: 'C', score: expect.closeTo(0.7), relevance_score: 0.9 },
        { id: 'B', score: expect.closeTo(0.8), relevance_score: 0.8 },
      ],
    },
  });
  await run({ ...RERANK, searchLimit: 9, rerankerTopN: '1' }, memory);
  expect(memory.asked[1]).toMatchObject({ limit: 27 });
});

test('a reranker is not asked about nothing', async () => {
  const { result, seen } = await run(RERANK);
  expect(result).toMatchObject({ output: { reranked: true, results: [], count: 0 } });
  expect(seen).toEqual([]);
});

test.each<[JsonObject, string]>([
  [{ ragOperation: 'search', metadataFilters: '{"a": {"b": 1}}' }, 'metadataFilters'],
  [{ ragOperation: 'search', metadataFilters: '[1]' }, 'metadataFilters'],
  [{ ragOperation: 'search', queryText: '$start.none.x', searchLimit: 'x' }, 'searchLimit'],
  [{ ragOperation: 'insert', documentMetadata: '{' }, 'documentMetadata'],
  [{ ragOperation: 'upsert', documentId: '' }, 'documentId'],
  [{ vectorStoreId: '' }, 'vectorStoreId'],
])('%o fails and names %s', async (data, field) => {
  expect((await run(data)).result).toMatchObject({ failure: { kind: 'params', field } });
});

test.each([
  [{ ragOperation: 'search' }, 'read'],
  [{ ragOperation: 'insert' }, 'idempotent'],
  [{ operation: 'upsert' }, 'idempotent'],
])('%o has the effect %s', (data, effect) => {
  const told = implementations.get('rag')?.definition.effect;
  expect(typeof told === 'function' ? told(data) : told).toBe(effect);
});
