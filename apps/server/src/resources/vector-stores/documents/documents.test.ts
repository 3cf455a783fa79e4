import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NodeFailure } from '@millrace/engine';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openEmbeddedForTest } from '../../../testing/embedded-database.ts';
import { createTestApp, type TestApp, type TestUser } from '../../../testing/index.ts';

let app: TestApp;
let owner: TestUser;
let friend: TestUser;
let stranger: TestUser;
let embeddings: Server;
let credential_id: string;
let isDown = false;

/** Words that carry the meaning in these tests; the vector of a text has how often each occurs. */
const TOPICS = ['cat', 'train', 'bread'];

/** https://platform.openai.com/docs/api-reference/embeddings with a model of the tests. */
function startEmbeddings(): Promise<Server> {
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    request.on('end', () => {
      if (
        isDown ||
        request.url !== '/v1/embeddings' ||
        request.headers.authorization !== 'Bearer sk-canary-12345'
      ) {
        response.writeHead(isDown ? 500 : 401).end('{"error":{"message":"no: sk-canary-12345"}}');
        return;
      }
      const { input } = JSON.parse(text) as { input: string[] };
      const data = input.map((one, index) => ({
        index,
        embedding: TOPICS.map((topic) => one.toLowerCase().split(topic).length - 1 + 0.01),
      }));
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
    });
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

const config = () => ({
  openai_api_key: 'sk-canary-12345',
  embedding_base_url: `http://127.0.0.1:${(embeddings.address() as AddressInfo).port}/v1`,
  embedding_model: 'topics',
  embedding_dimensions: 3,
  db_type: 'pgvector',
});

beforeAll(async () => {
  embeddings = await startEmbeddings();
  app = await createTestApp({
    env: { HTTP_ALLOW_PRIVATE_URLS: 'true', FILE_MAX_SIZE_MB: '1' },
    // It has pgvector, which a server may lack.
    database: await openEmbeddedForTest(),
  });
  [owner, friend, stranger] = [await app.user('Owner'), await app.user('Friend'), await app.user('Stranger')];
  const made = await owner.call('POST', '/api/credentials', {
    name: 'topics',
    type: 'rag',
    config: config(),
  });
  credential_id = made.json<{ id: string }>().id;
});
afterAll(async () => {
  await app.close();
  embeddings.closeAllConnections();
  embeddings.close();
});

let counter = 0;
async function newStore(): Promise<string> {
  const made = await owner.call('POST', '/api/vector-stores', { name: `docs ${++counter}`, credential_id });
  expect(made.statusCode, made.body).toBe(201);
  return made.json<{ id: string }>().id;
}

function upload(id: string, filename: string, content: string | Buffer, { user = owner, query = '' } = {}) {
  const boundary = 'millrace-boundary';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${filename}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  const payload = Buffer.concat([
    Buffer.from(head),
    Buffer.from(content),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return user.call('POST', `/api/vector-stores/${id}/upload${query}`, payload, {
    'content-type': `multipart/form-data; boundary=${boundary}`,
  });
}

const items = (id: string, user = owner) => user.call('GET', `/api/vector-stores/${id}/items`);
const search = (id: string, query: string, user = owner) =>
  user.call('POST', `/api/vector-stores/${id}/search`, { query, limit: 1 });

const HANDBOOK = '# Animals\nA cat sleeps.\n# Travel\nThe train leaves at nine.';

describe('POST /api/vector-stores/{id}/upload', () => {
  test('a file is cut at its headings and found by meaning', async () => {
    const id = await newStore();
    const added = await upload(id, 'handbook.md', HANDBOOK);
    expect(added.statusCode, added.body).toBe(200);
    expect(added.json()).toEqual({ chunks_processed: 2, points_inserted: 2 });
    expect((await search(id, 'when does the train go?')).json()).toMatchObject({
      results: [
        {
          text: '# Travel\nThe train leaves at nine.',
          score: expect.closeTo(1, 2),
          metadata: { source: 'handbook.md', file_size: HANDBOOK.length, chunk: 1 },
        },
      ],
    });
    expect((await owner.call('GET', `/api/vector-stores/${id}`)).json()).toMatchObject({
      stats: { vector_count: 2, points_count: 2 },
    });
  });

  test('the same content is stored once under any name; other content of the same name is stored too', async () => {
    const id = await newStore();
    await upload(id, 'a.md', HANDBOOK);
    expect((await upload(id, 'a.md', HANDBOOK)).json()).toEqual({ chunks_processed: 2, points_inserted: 0 });
    expect((await upload(id, 'b.md', HANDBOOK)).json()).toEqual({ chunks_processed: 2, points_inserted: 0 });
    expect((await upload(id, 'a.md', 'bread')).json()).toEqual({ chunks_processed: 1, points_inserted: 1 });
    expect((await items(id)).json()).toMatchObject({
      total_items: 3,
      sources: [{ source: 'a.md', chunk_count: 3 }],
    });
  });

  test('override_duplicates replaces what is there under the name', async () => {
    const id = await newStore();
    await upload(id, 'a.md', HANDBOOK);
    await upload(id, 'other.md', 'bread');
    await upload(id, 'a.md', 'cat and train', { query: '?override_duplicates=true' });
    expect((await items(id)).json()).toMatchObject({
      total_items: 2,
      sources: [
        { source: 'a.md', items: [{ text: 'cat and train' }] },
        { source: 'other.md', items: [{ text: 'bread' }] },
      ],
    });
  });

  test('§2.5: users of a share add documents, but do not replace those of the owner', async () => {
    const id = await newStore();
    await owner.call('POST', `/api/vector-stores/${id}/shares`, { email: friend.email });
    await upload(id, 'a.md', HANDBOOK);
    const query = '?override_duplicates=true';
    const refused = await upload(id, 'a.md', 'bread', { user: friend, query });
    expect(refused.statusCode, refused.body).toBe(403);
    expect(refused.body).toContain('Only the owner of the vector store may replace documents');
    expect((await items(id)).json()).toMatchObject({
      total_items: 2,
      sources: [{ source: 'a.md', items: [{ text: '# Animals\nA cat sleeps.' }, {}] }],
    });
    expect((await upload(id, 'b.md', 'bread', { user: friend })).statusCode).toBe(200);
    const unseen = await upload(id, 'a.md', 'bread', { user: stranger, query });
    expect(unseen.statusCode).toBe(404);
  });

  test.each([
    ['a.txt', 'Grüße, cat', 'Grüße, cat'],
    ['a.txt', Buffer.from('Gr\xfc\xdfe', 'latin1'), 'Grüße'],
    ['a.json', '{"b":["cat"]}', '{\n  "b": [\n    "cat"\n  ]\n}'],
    ['a.csv', 'name;city\nAda;"Paris, F"\n', 'name: Ada\ncity: Paris, F'],
    [
      'a.html',
      '<head><title>x</title></head><h1>Hi</h1><script>bad()</script><p>a <b>cat</b></p>',
      '# Hi\na **cat**',
    ],
  ])('%s is read as text', async (filename, content, text) => {
    const id = await newStore();
    const added = await upload(id, filename, content);
    expect(added.statusCode, added.body).toBe(200);
    const { sources } = (await items(id)).json<{ sources: { items: { text: string }[] }[] }>();
    expect(sources[0]?.items[0]?.text).toBe(text);
  });

  test.each([
    ['a.exe', 'x', 'no type'],
    ['a.md', '  ', 'no text'],
    ['a.json', '{', 'damaged'],
    ['a.pdf', 'no pdf', 'damaged'],
    ['a.docx', 'no zip', 'damaged'],
  ])('400: %s with %o is refused (%s)', async (filename, content, words) => {
    const refused = await upload(await newStore(), filename, content);
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain(words);
  });

  test('413: a file above the limit; 415: no form; 404: a store of another user', async () => {
    const id = await newStore();
    expect((await upload(id, 'a.txt', 'x'.repeat(1024 * 1024 + 1))).statusCode).toBe(413);
    expect((await owner.call('POST', `/api/vector-stores/${id}/upload`, { a: 1 })).statusCode).toBe(415);
    expect((await upload(id, 'a.txt', 'cat', { user: stranger })).statusCode).toBe(404);
  });

  test('a file that cannot be replaced stays as it was', async () => {
    const id = await newStore();
    await upload(id, 'a.md', HANDBOOK);
    isDown = true;
    const refused = await upload(id, 'a.md', 'cat', { query: '?override_duplicates=true' }).finally(() => {
      isDown = false;
    });
    expect(refused.statusCode).toBe(503);
    expect((await items(id)).json()).toMatchObject({ total_items: 2 });
  });

  test('400: a file of headings alone', async () => {
    const refused = await upload(await newStore(), 'a.md', '# One\n## Two\n');
    expect(refused.statusCode).toBe(400);
    expect(refused.body).toContain('no text below them');
  });

  test('503: what the embedding server answers is told without the key', async () => {
    isDown = true;
    const refused = await upload(await newStore(), 'a.txt', 'cat').finally(() => {
      isDown = false;
    });
    expect(refused.statusCode).toBe(503);
    expect(refused.body).not.toContain('canary');
  });
});

test('a file that the store has is named before it is sent', async () => {
  const id = await newStore();
  await upload(id, 'a.md', HANDBOOK);
  const files = [
    { filename: 'a.md', file_size: HANDBOOK.length },
    { filename: 'a.md', file_size: 1 },
    { filename: 'b.md', file_size: HANDBOOK.length },
  ];
  const found = await owner.call('POST', `/api/vector-stores/${id}/check-duplicates`, { files });
  expect(found.json()).toEqual({ duplicates: [{ ...files[0], chunk_count: 2 }] });
});

test('entries are deleted by source and one by one, by the owner alone', async () => {
  const id = await newStore();
  await owner.call('POST', `/api/vector-stores/${id}/shares`, { email: friend.email });
  await upload(id, 'a & b.md', HANDBOOK);
  await upload(id, 'c.md', 'bread');
  const bySource = `/api/vector-stores/${id}/items/by-source?source=${encodeURIComponent('a & b.md')}`;
  expect((await friend.call('DELETE', bySource)).statusCode).toBe(403);
  expect((await owner.call('DELETE', bySource)).statusCode).toBe(204);
  const left = (await items(id)).json<{ total_items: number; sources: { items: { id: string }[] }[] }>();
  expect(left).toMatchObject({ total_items: 1, sources: [{ source: 'c.md' }] });
  const point = left.sources[0]?.items[0]?.id ?? '';
  expect((await owner.call('DELETE', `/api/vector-stores/${id}/items/${point}`)).statusCode).toBe(204);
  expect((await items(id)).json()).toEqual({ sources: [], total_items: 0 });
});

test('people it is shared with search and fill it with the credential of the owner; cloning needs their own', async () => {
  const id = await newStore();
  await owner.call('POST', `/api/vector-stores/${id}/shares`, { email: friend.email });
  expect((await upload(id, 'a.md', HANDBOOK, { user: friend })).statusCode).toBe(200);
  expect((await search(id, 'cat', friend)).json()).toMatchObject({
    results: [{ text: '# Animals\nA cat sleeps.' }],
  });
  expect((await search(id, 'cat', stranger)).statusCode).toBe(404);
  expect((await friend.call('POST', `/api/vector-stores/${id}/clone`)).statusCode).toBe(403);
});

const collections = async () =>
  (
    await app.services.database.sql.query({
      text: "select 1 from information_schema.tables where table_schema = 'vector_collections'",
    })
  ).row_count;

test('a store whose credential is gone takes its collection along', async () => {
  const credential = { name: 'short-lived', type: 'rag', config: config() };
  const made = await owner.call('POST', '/api/credentials', credential);
  const own = made.json<{ id: string }>().id;
  const store = await owner.call('POST', '/api/vector-stores', { name: 'short-lived', credential_id: own });
  const { id } = store.json<{ id: string }>();
  const before = await collections();
  await upload(id, 'a.md', HANDBOOK);
  expect(await collections()).toBe(before + 1);
  expect((await owner.call('DELETE', `/api/credentials/${own}`)).statusCode).toBe(204);
  expect((await owner.call('DELETE', `/api/vector-stores/${id}`)).statusCode).toBe(204);
  expect(await collections()).toBe(before);
});

test('a clone that breaks off leaves nothing behind', async () => {
  const id = await newStore();
  await upload(id, 'a.md', HANDBOOK);
  const before = await collections();
  const { vector_indexes } = app.services;
  const open = vector_indexes.open;
  const full = vi.spyOn(vector_indexes, 'open').mockImplementation((opening) => ({
    ...open(opening),
    put: () => Promise.reject(new NodeFailure({ kind: 'upstream', message: 'The disk is full' })),
  }));
  const made = await owner.call('POST', `/api/vector-stores/${id}/clone`);
  full.mockRestore();
  expect(made.statusCode).toBe(503);
  expect(made.body).toContain('The disk is full');
  expect(await collections()).toBe(before);
  const { name } = (await owner.call('GET', `/api/vector-stores/${id}`)).json<{ name: string }>();
  const names = (await owner.call('GET', '/api/vector-stores'))
    .json<{ name: string }[]>()
    .map((one) => one.name);
  expect(names.filter((one) => one.startsWith(name))).toEqual([name]);
});

test('a clone has the entries, and a life of its own; a deleted store takes its collection along', async () => {
  const id = await newStore();
  await upload(id, 'a.md', HANDBOOK);
  const made = await owner.call('POST', `/api/vector-stores/${id}/clone`);
  expect(made.statusCode, made.body).toBe(201);
  const clone = made.json<{ id: string; name: string }>();
  expect(clone.name).toMatch(/^docs \d+ \(copy\)$/);
  const before = await collections();
  expect((await owner.call('DELETE', `/api/vector-stores/${id}`)).statusCode).toBe(204);
  expect(await collections()).toBe(before - 1);
  expect((await search(clone.id, 'cat')).json()).toMatchObject({
    results: [{ text: '# Animals\nA cat sleeps.' }],
  });
});

test('a run fills and searches a store through the node', async () => {
  const id = await newStore();
  const node = (label: string, data: object) => ({
    id: label,
    type: 'rag',
    position: { x: 0, y: 0 },
    data: { label, vectorStoreId: id, ...data },
  });
  const nodes = [
    { id: 'start', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 'start' } },
    node('add', {
      ragOperation: 'insert',
      documentContent: 'Fresh bread',
      documentMetadata: '{"lang": "en"}',
    }),
    node('find', { ragOperation: 'search', queryText: 'bread?', metadataFilters: '{"lang": "en"}' }),
  ];
  const edges = [
    { id: 'e1', source: 'start', target: 'add' },
    { id: 'e2', source: 'add', target: 'find' },
  ];
  const made = await owner.call('POST', '/api/workflows', { name: 'Baker', nodes, edges });
  const workflow_id = made.json<{ id: string }>().id;
  const run = await owner.call('POST', `/api/workflows/${workflow_id}/execute`, {});
  expect(run.json(), run.body).toMatchObject({
    status: 'success',
    outputs: {
      find: {
        count: 1,
        results: [{ text: 'Fresh bread', metadata: { lang: 'en', source: 'workflow:Baker' } }],
      },
    },
  });
});
