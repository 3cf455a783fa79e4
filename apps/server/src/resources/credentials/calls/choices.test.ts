import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shareTestApp, type TestApp, type TestUser } from '../../../testing/index.ts';

let status = 200;
const server = createServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  if (status !== 200) {
    const said = { error: `no: ${String(request.headers.authorization)}` };
    response.writeHead(status).end(JSON.stringify(said));
  } else {
    response.end(JSON.stringify({ tables: [{ id: 'Orders' }, { id: 'People' }], data: [{ id: 'small' }] }));
  }
});
const mail = new SMTPServer({
  disabledCommands: ['STARTTLS'],
  allowInsecureAuth: true,
  onAuth: ({ password }, _session, done) =>
    password === 'right' ? done(null, { user: 'u' }) : done(new Error('wrong password')),
});
let app: TestApp;
let owner: TestUser;
let friend: TestUser;
let stranger: TestUser;
let id: string;

const port = (address: unknown): number => (address as AddressInfo).port;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => mail.listen(0, '127.0.0.1', resolve));
  app = await shareTestApp({ HTTP_ALLOW_PRIVATE_URLS: 'true' });
  [owner, friend, stranger] = [await app.user(), await app.user(), await app.user()];
  const config = { api_key: 'canary-0123456789', server_url: `http://127.0.0.1:${port(server.address())}` };
  const made = await owner.call('POST', '/api/credentials', { name: 'grist', type: 'grist', config });
  id = made.json<{ id: string }>().id;
  await owner.call('POST', `/api/credentials/${id}/shares`, { email: friend.email });
});
afterAll(async () => {
  await app.close();
  server.closeAllConnections();
  server.close();
  mail.close(() => undefined);
});

const asked = { node_type: 'grist', list: 'tables', params: { gristDocId: 'doc1' } };
const choices = (user: TestUser, body: object = asked) =>
  user.call('POST', `/api/credentials/${id}/choices`, body);

test('whom a credential is shared with may choose with it; for others it does not exist', async () => {
  status = 200;
  for (const user of [owner, friend]) {
    expect((await choices(user, { ...asked, search: 'peo' })).json()).toEqual({
      items: [{ value: 'People', label: 'People' }],
      next_cursor: null,
    });
  }
  expect((await choices(stranger)).statusCode).toBe(404);
});

test.each([
  [401, 400],
  [404, 400],
  [500, 503],
  [429, 503],
])('a %i of the service is answered as %i in plain words, without the secret', async (given, expected) => {
  status = given;
  const answer = await choices(owner);
  expect(answer.statusCode, answer.body).toBe(expected);
  expect(answer.body).not.toContain('canary');
});

test.each([
  [{ node_type: 'unknown' }, 'node_type'],
  [{ node_type: 'sendEmail' }, 'list'],
  [{ list: 'constructor' }, 'list'],
])('%o is refused by field', async (wrong, field) => {
  const answer = await choices(owner, { ...asked, ...wrong });
  expect(answer.statusCode).toBe(422);
  expect(answer.body).toContain(field);
});

test('a mail server is tried over SMTP', async () => {
  const config = {
    smtp_host: '127.0.0.1',
    smtp_port: port(mail.server.address()),
    smtp_username: 'u',
    smtp_password: 'right',
    smtp_use_tls: false,
  };
  const tryOut = (more: object) =>
    owner.call('POST', '/api/credentials/test', { type: 'smtp', config: { ...config, ...more } });
  expect((await tryOut({})).json()).toEqual({ success: true, message: 'The service accepted it' });
  const refused = await tryOut({ smtp_password: 'canary-wrong' });
  expect(refused.json()).toMatchObject({
    success: false,
    message: expect.stringContaining('refused user name'),
  });
  expect(refused.body).not.toContain('canary');
  expect((await tryOut({ smtp_use_tls: true })).json()).toMatchObject({ success: false });
});

test('a credential that only entries of a list take is asked, too', async () => {
  status = 200;
  const config = { api_key: 'canary-0123456789', base_url: `http://127.0.0.1:${port(server.address())}` };
  const made = await owner.call('POST', '/api/credentials', { name: 'model', type: 'custom', config });
  const path = `/api/credentials/${made.json<{ id: string }>().id}/choices`;
  const answer = await owner.call('POST', path, { node_type: 'playwright', list: 'models', params: {} });
  expect(answer.json()).toMatchObject({ items: [{ value: 'small', label: 'small' }] });
});
