import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { realEgress } from '@millrace/nodes/testing/real-egress';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../database/database.ts';
import type { SqlClient } from '../../database/sql-client.ts';
import { vectorIndexConformance } from '../../ports/vector-index.conformance.ts';
import { openEmbeddedForTest } from '../../testing/embedded-database.ts';
import { type QdrantRequest, qdrantApi } from '../testing/qdrant-server.ts';
import { createPostgresIndex } from './postgres.ts';
import { createQdrantIndex } from './qdrant.ts';

let database: Database;
let server: Server;
let base_url: string;
const seen: QdrantRequest[] = [];
beforeAll(async () => {
  database = await openEmbeddedForTest();
  const answer = qdrantApi('qdrant-canary');
  server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      const asked: QdrantRequest = {
        method: request.method ?? '',
        url: new URL(request.url ?? '/', 'http://server'),
        headers: request.headers,
        body: text === '' ? undefined : JSON.parse(text),
      };
      seen.push(asked);
      const { status, body } = answer(asked);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await database.close();
});

const qdrant = (collection: string, dimensions: number, key = 'qdrant-canary') =>
  createQdrantIndex({
    collection,
    dimensions,
    connection: { title: 'Qdrant', service: { base_url, headers: { 'api-key': key } } },
    caller: {
      http: realEgress(),
      now: Date.now,
      sleepUntil: () => Promise.resolve(),
      signal: new AbortController().signal,
      max_wait_ms: 0,
      idempotency_key: '',
    },
  });

vectorIndexConformance('Qdrant', (collection, dimensions) => qdrant(collection, dimensions));
vectorIndexConformance('the embedded database', (collection, dimensions) =>
  createPostgresIndex({ sql: database.sql, collection, dimensions }),
);

describe('Qdrant', () => {
  test('a refused key is a problem of the credential, told without the key', async () => {
    const failed = qdrant('conformance-key', 3, 'old-canary').prepare();
    await expect(failed).rejects.toMatchObject({ failure: { kind: 'credential' } });
    await expect(failed).rejects.not.toThrow('canary');
  });

  test('many points are sent in requests of a hundred', async () => {
    const index = qdrant('many', 3);
    await index.prepare();
    seen.length = 0;
    const points = Array.from({ length: 250 }, (_, at) => ({
      id: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
      vector: [1, 0, 0],
      text: '',
      metadata: {},
    }));
    await index.put(points);
    expect(seen.map(({ body }) => (body as { points: unknown[] }).points.length)).toEqual([100, 100, 50]);
    expect(await index.count({})).toBe(250);
  });
});

describe('the embedded database', () => {
  test('an index of neighbours answers a search without a filter', async () => {
    const index = createPostgresIndex({ sql: database.sql, collection: 'plans', dimensions: 3 });
    await index.prepare();
    const { rows } = await database.sql.query<{ indexdef: string }>({
      text: "select indexdef from pg_indexes where schemaname = 'vector_collections' and indexdef like '%hnsw%'",
    });
    expect(rows.length).toBeGreaterThan(0);
  });

  test('a collection that is complete is prepared with one statement', async () => {
    const asked: string[] = [];
    const sql: SqlClient = {
      query: (statement) => {
        asked.push(statement.text);
        return database.sql.query(statement);
      },
    };
    const index = createPostgresIndex({ sql, collection: 'looked-at', dimensions: 3 });
    await index.prepare();
    asked.length = 0;
    await index.prepare();
    expect(asked).toHaveLength(1);
  });

  test.each([
    ['text', { text: 'a\0b', metadata: {} }],
    ['metadata', { text: '', metadata: { a: 'a\0b' } }],
  ])('a NUL character in %s is refused in words', async (_, more) => {
    const index = createPostgresIndex({ sql: database.sql, collection: 'nul', dimensions: 3 });
    await index.prepare();
    const id = '00000000-0000-4000-8000-000000000002';
    await expect(index.put([{ id, vector: [1, 0, 0], ...more }])).rejects.toThrow('NUL character');
  });

  test('more dimensions than the database has are refused in words', async () => {
    const index = createPostgresIndex({ sql: database.sql, collection: 'long', dimensions: 16_384 });
    await expect(index.prepare()).rejects.toThrow('set fewer dimensions');
  });

  test('collections with long names that begin alike are apart', async () => {
    const [a, b] = ['a', 'b'].map((end) =>
      createPostgresIndex({ sql: database.sql, collection: `${'x'.repeat(199)}${end}`, dimensions: 3 }),
    );
    await a?.prepare();
    await b?.prepare();
    const id = '00000000-0000-4000-8000-000000000001';
    await a?.put([{ id, vector: [1, 0, 0], text: 'a', metadata: {} }]);
    expect(await b?.count({})).toBe(0);
  });
});
