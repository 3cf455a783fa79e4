import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shareTestApp, type TestApp, type TestUser } from '../../testing/index.ts';

let app: TestApp;
let port: number;
let owner: TestUser;
let friend: TestUser;
let workflow_id: string;
beforeAll(async () => {
  app = await shareTestApp();
  await app.listen();
  port = (app.app.server.address() as AddressInfo).port;
  [owner, friend] = [await app.user(), await app.user()];
  const nodes = [
    { id: 'in', type: 'textInput', position: { x: 0, y: 0 }, data: { label: 'in' } },
    { id: 'wait', type: 'wait', position: { x: 1, y: 0 }, data: { label: 'wait', duration: 4_000 } },
  ];
  const edges = [{ id: 'e', source: 'in', target: 'wait' }];
  const made = await owner.call('POST', '/api/workflows', { name: 'slow', nodes, edges });
  workflow_id = made.json<{ id: string }>().id;
});
afterAll(() => app.close());

/** Opens the stream of a run and resolves when its first frame has come. */
async function open(authorization: string): Promise<{ text: () => string; ended: Promise<unknown> }> {
  const call = httpRequest({
    port,
    host: '127.0.0.1',
    method: 'POST',
    path: `/api/workflows/${workflow_id}/execute/stream`,
    headers: { authorization, 'content-type': 'application/json' },
  });
  call.end('{}');
  const [response] = (await once(call, 'response')) as [IncomingMessage];
  let text = '';
  response.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const ended = once(response, 'end');
  await once(response, 'data');
  return { text: () => text, ended };
}

const session = (user: TestUser) => `Bearer ${user.access_token}`;

test('§5.8: taking a share back ends the running streams of that person, not those of others', async () => {
  await owner.call('POST', `/api/workflows/${workflow_id}/shares`, { email: friend.email });
  const theirs = await open(session(friend));
  const own = await open(session(owner));
  await owner.call('DELETE', `/api/workflows/${workflow_id}/shares/${friend.id}`);
  await theirs.ended;
  expect(theirs.text()).toContain('execution_started');
  expect(theirs.text()).not.toContain('execution_complete');
  await own.ended;
  expect(own.text()).toContain('execution_complete');
});

test('§5.8: removal from the team does too', async () => {
  const team_id = (await owner.call('POST', '/api/teams', { name: 'T' })).json<{ id: string }>().id;
  await owner.call('POST', `/api/teams/${team_id}/members`, { email: friend.email });
  await owner.call('POST', `/api/workflows/${workflow_id}/team-shares`, { team_id });
  const stream = await open(session(friend));
  await owner.call('DELETE', `/api/teams/${team_id}/members/${friend.id}`);
  await stream.ended;
  expect(stream.text()).not.toContain('execution_complete');
});

test('§5.2: revoking an execution token does too', async () => {
  const url = `/api/workflows/${workflow_id}/execution-tokens`;
  const { id, token } = (await owner.call('POST', url, { ttl_seconds: 600 })).json<{
    id: string;
    token: string;
  }>();
  const stream = await open(`Bearer ${token}`);
  await owner.call('DELETE', `${url}/${id}`);
  await stream.ended;
  expect(stream.text()).not.toContain('execution_complete');
});

test('while access lasts, other changes do not disturb a stream', async () => {
  const stream = await open(session(owner));
  await owner.call('POST', `/api/workflows/${workflow_id}/shares`, { email: friend.email });
  await stream.ended;
  expect(stream.text()).toContain('execution_complete');
});
