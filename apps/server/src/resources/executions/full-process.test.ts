import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createTestApp, type TestApp, type TestUser } from '../../testing/test-app.ts';
import { createWorkflow, executeUrl, graph, until } from './testing/workflows.ts';

// Each test starts a server of its own, which takes long on a busy machine.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 60_000 });

/** A service that answers when the test says so: who calls it works and does not only wait. */
const held: ServerResponse[] = [];
const service = createServer((_request, response) => void held.push(response));
const release = () => {
  for (const response of held.splice(0)) response.end('{}');
};
let service_url = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  service_url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
});
afterAll(() => {
  service.closeAllConnections();
  service.close();
});

let app: TestApp | undefined;
afterEach(async () => {
  release();
  await app?.close();
});

async function start(env: Record<string, string>): Promise<{ app: TestApp; user: TestUser }> {
  app = await createTestApp({ env: { HTTP_ALLOW_PRIVATE_URLS: 'true', ...env } });
  return { app, user: await app.user() };
}

const pausing = (duration: number) =>
  graph(
    [
      ['start', 'textInput'],
      ['pause', 'wait', { duration }],
      ['out', 'output', { message: '$start.body.text' }],
    ],
    ['start>pause', 'pause>out'],
  );
const calling = () =>
  graph(
    [
      ['start', 'textInput'],
      ['call', 'http', { curl: `curl ${service_url}` }],
    ],
    ['start>call'],
  );

test('runs that only wait take no place: three hundred at once, with thirty places', {
  timeout: 60_000,
}, async () => {
  const { app: small, user } = await start({ RUN_CONCURRENCY: '30', RUN_PATIENCE_SECONDS: '0' });
  // Longer than three hundred starts take on a busy machine.
  const id = await createWorkflow(user, pausing(60_000));
  const answers = Promise.all(
    Array.from({ length: 300 }, (_, at) => small.call('POST', executeUrl(id), { text: `n${at}` })),
  );
  const { live } = small.services.execution;
  await until(async () => live.size === 300 && live.busy === 0, 50_000);
  expect((await small.call('GET', '/readyz')).statusCode).toBe(503);
  for (const executor of live.all) executor.cancel();
  expect((await answers).map(({ statusCode }) => statusCode)).toEqual(Array(300).fill(409));
});

test('a request without a place waits until another run ends', async () => {
  const { app: small, user } = await start({ RUN_CONCURRENCY: '1' });
  const id = await createWorkflow(user, calling());
  const first = small.call('POST', executeUrl(id), {});
  await until(async () => held.length === 1);
  const second = small.call('POST', executeUrl(id), {});
  const streamed = small.call('POST', executeUrl(id, '/stream'), {});
  await until(async () => small.services.execution.start_queue.waiting === 2);
  expect((await small.call('GET', '/readyz')).json()).toMatchObject({ status: 'busy' });
  expect(held).toHaveLength(1);
  release();
  expect((await first).statusCode).toBe(200);
  await until(async () => held.length === 1);
  release();
  expect((await second).statusCode).toBe(200);
  await until(async () => held.length === 1);
  release();
  expect((await streamed).body).toContain('execution_complete');
});

test('a request that has waited for too long is answered with 503 and a time to come back; nothing of it is kept', async () => {
  const { app: small, user } = await start({ RUN_CONCURRENCY: '1', RUN_PATIENCE_SECONDS: '1' });
  const id = await createWorkflow(user, calling());
  const first = small.call('POST', executeUrl(id), {});
  await until(async () => held.length === 1);
  const began = performance.now();
  const refused = await Promise.all([
    small.call('POST', executeUrl(id), {}),
    small.call('POST', executeUrl(id, '/stream'), {}),
  ]);
  expect(performance.now() - began).toBeGreaterThan(900);
  expect(refused.map(({ statusCode, headers }) => [statusCode, headers['retry-after']])).toEqual([
    [503, '1'],
    [503, '1'],
  ]);
  release();
  expect((await first).statusCode).toBe(200);
  expect((await user.call('GET', `/api/workflows/${id}/history`)).json()).toMatchObject({ total: 1 });
});

test('runs that wait are bounded too', async () => {
  const { app: small, user } = await start({ RUN_CONCURRENCY: '1', RUN_PATIENCE_SECONDS: '0' });
  const id = await createWorkflow(user, pausing(60_000));
  const { live } = small.services.execution;
  const waiting = [];
  for (let at = 1; at <= 10; at++) {
    waiting.push(small.call('POST', executeUrl(id), {}));
    await until(async () => live.size === at && live.busy === 0);
  }
  expect((await small.call('POST', executeUrl(id), {})).statusCode).toBe(503);
  for (const executor of live.all) executor.cancel();
  expect((await Promise.all(waiting)).map(({ statusCode }) => statusCode)).toEqual(Array(10).fill(409));
});
