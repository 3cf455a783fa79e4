import { once } from 'node:events';
import {
  type ClientRequest,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestApp, type TestApp, type TestUser } from '../../testing/test-app.ts';
import { createWorkflow, executeUrl, graph, until } from './testing/workflows.ts';

/** A service that answers when the test says so, so that its caller takes the only place. */
const held: ServerResponse[] = [];
const service = createServer((_request, response) => void held.push(response));
const release = () => {
  for (const response of held.splice(0)) response.end('{}');
};

let app: TestApp;
let user: TestUser;
let port: number;
let id: string;
const responses = new Map<unknown, ServerResponse>();
/** Whether a request has got its answer, read or not. */
const isAnswered = (name: string) => responses.get(name)?.writableEnded === true;
beforeAll(async () => {
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  app = await createTestApp({ env: { HTTP_ALLOW_PRIVATE_URLS: 'true', RUN_CONCURRENCY: '1' } });
  user = await app.user();
  app.app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    responses.set(request.headers['x-name'], response);
  });
  await app.listen();
  port = (app.app.server.address() as AddressInfo).port;
  const calling = graph(
    [
      ['start', 'textInput'],
      ['call', 'http', { curl: `curl ${url}` }],
    ],
    ['start>call'],
  );
  id = await createWorkflow(user, calling);
});
afterAll(async () => {
  release();
  await app.close();
  service.closeAllConnections();
  service.close();
});
beforeEach(async () => {
  release();
  await until(async () => app.services.execution.live.size === 0);
});

function send(path: string, headers: Record<string, string> = {}): ClientRequest {
  const sent = httpRequest({ port, host: '127.0.0.1', method: 'POST', path, headers });
  sent.on('error', () => undefined);
  sent.end();
  return sent;
}

async function awaitStatus(sent: ClientRequest): Promise<number | undefined> {
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

const total = async () =>
  (await user.call('GET', `/api/workflows/${id}/history`)).json<{ total: number }>().total;

for (const [name, rest] of [
  ['execute', ''],
  ['stream', '/stream'],
] as const) {
  test(`a client of ${name} that leaves the queue starts nothing`, async () => {
    const before = await total();
    const first = send(executeUrl(id));
    await until(async () => held.length === 1);
    const second = send(executeUrl(id, rest));
    const { start_queue } = app.services.execution;
    await until(async () => start_queue.waiting === 1);
    second.destroy();
    await until(async () => start_queue.waiting === 0);
    release();
    expect(await awaitStatus(first)).toBe(200);
    await until(async () => (await total()) === before + 1);
    expect(held).toHaveLength(0);
  });
}

test('a client that waits for the run of its key is let go when it leaves; the run and its first client are not', async () => {
  const pausing = graph(
    [
      ['start', 'textInput'],
      ['pause', 'wait', { duration: 50_000 }],
    ],
    ['start>pause'],
  );
  const target = executeUrl(await createWorkflow(user, pausing));
  const { live } = app.services.execution;
  const key = { 'idempotency-key': 'shared' };
  const first = send(target, { ...key, 'x-name': 'first' });
  await until(async () => live.size === 1 && live.busy === 0);
  const second = send(target, { ...key, 'x-name': 'second' });
  await once(second, 'finish');
  second.destroy();
  await until(async () => isAnswered('second'));
  expect(isAnswered('first')).toBe(false);
  for (const executor of live.all) executor.cancel();
  expect(await awaitStatus(first)).toBe(409);
});

test('cancel_on_disconnect with a key ends the run that the client started', async () => {
  const first = send(executeUrl(id, '/stream?cancel_on_disconnect=true'), { 'idempotency-key': 'leaves' });
  const [response] = (await once(first, 'response')) as [IncomingMessage];
  const run_id = String(response.headers['x-execution-id']);
  await until(async () => held.length === 1);
  first.destroy();
  const status = await until(async () => {
    const entry = await user.call('GET', `/api/workflows/${id}/history/${run_id}`);
    const { status } = entry.json<{ status: string }>();
    return entry.statusCode === 200 && status !== 'running' ? status : undefined;
  });
  expect(status).toBe('cancelled');
});
