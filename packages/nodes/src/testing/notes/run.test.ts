import { expect, test } from 'vitest';
import { realEgress } from '../real-egress.ts';
import { runNode } from '../run-node.ts';
import { serveJson } from '../servers/json-server.ts';
import { runNotes as implementation } from './run.ts';

/** Runs the node over real HTTP. */
const run = (base_url: string, data: Record<string, string>) =>
  runNode(
    'notes',
    { credentialId: 'c', ...data },
    {
      implementation,
      inputs: { start: { text: 'Hi' } },
      services: {
        http: realEgress(),
        credential: (id) =>
          Promise.resolve({ id, name: 'mine', type: 'notes', values: { base_url, token: 't' } }),
      },
    },
  );

test('a list is read page by page', async () => {
  const server = await serveJson(({ path, query }) => {
    if (path !== '/api/notes') return { status: 404 };
    const next = `<${server.url}/api/notes?after=1>; rel="next"`;
    return query['after'] ? { body: [{ id: 2 }] } : { body: [{ id: 1 }], headers: { link: next } };
  });
  expect(await run(server.url, { notesOperation: 'listNotes' })).toEqual({
    output: { notes: [{ id: 1 }, { id: 2 }], count: 2 },
  });
  expect(server.seen[0]?.headers['authorization']).toBe('Bearer t');
});

test('a note is created once in a book of any name', async () => {
  const server = await serveJson(({ path, headers, body }) => ({
    body: { path, key: headers['idempotency-key'] ?? null, body },
  }));
  expect(await run(server.url, { notesOperation: 'createNote', notesBook: 'b 1' })).toEqual({
    output: {
      note: { path: '/api/books/b%201/notes', key: 'run-1:node-1:', body: { text: 'Hi' } },
    },
  });
});

test('a refusal names the service', async () => {
  const server = await serveJson(() => ({ status: 401 }));
  expect(await run(server.url, { notesOperation: 'listNotes' })).toMatchObject({
    failure: { kind: 'credential', field: 'credentialId', message: expect.stringContaining('Notes') },
  });
});
