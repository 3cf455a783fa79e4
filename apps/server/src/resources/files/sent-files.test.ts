import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestApp, type TestApp, type TestUser } from '../../testing/index.ts';

/** Text whose pieces would be found in a history that kept them. */
const CONTENT = Buffer.from('bytes-of-the-file '.repeat(50_000));
const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

let app: TestApp;
let owner: TestUser;
let stranger: TestUser;
let file_id: string;
let url: string;
let requests: string[] = [];
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    requests.push(`${request.method} ${request.url}`);
    if (request.url === '/moved') response.writeHead(307, { location: '/there' }).end();
    else if (request.url === '/large') response.end(Buffer.alloc(1.5 * 1024 * 1024));
    else
      response.end(
        JSON.stringify({ hash: hash(Buffer.concat(chunks)), type: request.headers['content-type'] }),
      );
  });
});

beforeAll(async () => {
  app = await createTestApp({ env: { FILE_MAX_SIZE_MB: '1', HTTP_ALLOW_PRIVATE_URLS: 'true' } });
  [owner, stranger] = [await app.user('Owner'), await app.user('Stranger')];
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const saved = await run('drive', {
    driveOperation: 'save',
    driveBase64Content: CONTENT.toString('base64'),
    driveFilename: 'content.txt',
  });
  file_id = String(saved.output?.['id']);
});
beforeEach(() => {
  requests = [];
});
afterAll(async () => {
  await app.close();
  await new Promise((resolve) => server.close(resolve));
});

/** Runs a workflow of one node; also answers its history as it is stored. */
async function run(type: string, data: object, user = owner) {
  const nodes = [
    { id: 'in', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 'in' } },
    { id: 'node', type, position: { x: 1, y: 0 }, data: { label: 'node', ...data } },
  ];
  const body = { name: `sent ${type}`, nodes, edges: [{ id: 'e', source: 'in', target: 'node' }] };
  const { id } = (await user.call('POST', '/api/workflows', body)).json<{ id: string }>();
  const answer = await user.call('POST', `/api/workflows/${id}/execute`, {});
  const { status, outputs } = answer.json<{ status: string; outputs: Record<string, unknown> }>();
  const list = await user.call('GET', `/api/workflows/${id}/history`);
  const [kept] = list.json<{ items: { id: string }[] }>().items;
  const history = (await user.call('GET', `/api/workflows/${id}/history/${kept?.id}`)).body;
  const output = outputs['node'] as Record<string, unknown> | undefined;
  return { status, output, body: answer.body, history };
}

test('a stored file is sent whole, again after a redirect, and its bytes are not in the history', async () => {
  for (const path of ['/in', '/moved']) {
    const sent = await run('http', { curl: `curl -L ${url}${path} -T ${file_id}` });
    expect(sent, sent.body).toMatchObject({
      status: 'success',
      output: { body: { hash: hash(CONTENT), type: 'text/plain' }, request: { method: 'PUT' } },
    });
    expect(sent.history).toContain(hash(CONTENT));
    expect(sent.history).not.toContain('bytes-of-the-file');
  }
  expect(requests).toEqual(['PUT /in', 'PUT /moved', 'PUT /there']);
});

test('a file of another person is not sent, and nothing is', async () => {
  const refused = await run('http', { curl: `curl ${url}/in -F doc=@${file_id}` }, stranger);
  expect(refused.status).toBe('error');
  expect(refused.body).toContain('-F doc=@…: File not found');
  expect(requests).toEqual([]);
});

test('an answer that is larger than files may be is refused in words', async () => {
  const refused = await run('http', { curl: `curl ${url}/large`, responseBody: 'file' });
  expect(refused.status).toBe('error');
  expect(refused.body).toMatch(
    /Response body \(responseBody\): the answer could not be saved as .*large.*larger than 1048576 bytes/,
  );
});
