import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { openPostgres } from '../../adapters/postgres/open.ts';
import { newId } from '../../core/ids.ts';
import {
  describeOnPostgres,
  openPostgresForTest,
  silent,
} from '../../execution/journal/testing/databases.ts';
import { createTestApp, type TestApp, type TestUser } from '../../testing/test-app.ts';
import { createWorkflow, executeUrl, graph } from './testing/workflows.ts';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });
const WITHIN = { timeout: 60_000, interval: 50 };

describeOnPostgres('runs of a workflow under way at once, on two processes', () => {
  /** A service that is slow, and answers some calls only when the test says so. */
  const held: ServerResponse[] = [];
  let [underWay, most, holds] = [0, 0, false];
  const service = createServer((_request, response) => {
    underWay += 1;
    most = Math.max(most, underWay);
    response.on('close', () => {
      underWay -= 1;
    });
    if (holds) held.push(response);
    else setTimeout(() => response.end('{}'), 150);
  });
  const release = () => {
    holds = false;
    for (const response of held.splice(0)) response.end('{}');
  };
  let apps: [TestApp, TestApp];
  let user: TestUser;
  let url = '';
  let close: () => Promise<void>;
  let count = 0;
  beforeAll(async () => {
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    const opened = await openPostgresForTest();
    const env = { HTTP_ALLOW_PRIVATE_URLS: 'true', RUN_PATIENCE_SECONDS: '1' };
    const start = () => createTestApp({ database: openPostgres({ url: opened.url, log: silent }), env });
    apps = [await start(), await start()];
    user = await apps[0].user();
    close = () => opened.database.close();
  });
  afterEach(release);
  afterAll(async () => {
    for (const app of apps) await app.close();
    await close();
    service.closeAllConnections();
    service.close();
  });

  async function create(concurrency_limit: number, trigger: 'textInput' | 'webhookTrigger') {
    const hook = `limited-${(count += 1)}`;
    const content = graph(
      [
        [hook, trigger],
        ['call', 'http', { curl: `curl ${url}` }],
      ],
      [`${hook}>call`],
    );
    const id = await createWorkflow(user, content, { concurrency_limit });
    const statuses = async () => {
      const text = 'SELECT status, state FROM runs WHERE workflow_id = $1';
      const { rows } = await apps[0].services.database.sql.query<{ status: string; state: number }>({
        text,
        values: [id],
      });
      return rows.map(({ status, state }) => (state === 3 ? status : 'open'));
    };
    const allSucceeded = (runs: number) =>
      vi.waitUntil(async () => (await statuses()).filter((one) => one === 'success').length === runs, WITHIN);
    return {
      id,
      statuses,
      allSucceeded,
      deliver: (at: number) =>
        (apps[at % 2] as TestApp).app.inject({ method: 'POST', url: `/api/webhooks/${hook}`, payload: {} }),
      call: (at: number, headers: Record<string, string> = {}) =>
        (apps[at % 2] as TestApp).app.inject({
          method: 'POST',
          url: executeUrl(id),
          headers,
          payload: { text: 'x' },
        }),
    };
  }

  test('runs of triggers wait in the queue for a place, and all of them run', async () => {
    const limited = await create(2, 'webhookTrigger');
    most = 0;
    const answers = await Promise.all(Array.from({ length: 10 }, (_, at) => limited.deliver(at)));
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
    await limited.allSucceeded(10);
    expect(most).toBe(2);
  });

  test('a call waits for a place for a moment, and gets 429 on every process while there is none', async () => {
    const limited = await create(1, 'textInput');
    holds = true;
    const first = limited.call(0);
    await vi.waitUntil(() => held.length === 1, WITHIN);
    for (const at of [0, 1]) {
      const refused = await limited.call(at);
      expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '1']);
      expect(refused.json<{ detail: string }>().detail).toContain('one run under way at once');
    }
    const waiting = limited.call(1);
    release();
    expect((await first).statusCode).toBe(200);
    expect((await waiting).statusCode).toBe(200);
    expect(await limited.statuses()).toEqual(['success', 'success']);
  });

  test('a repeated call with the same key takes no second place', async () => {
    const limited = await create(1, 'textInput');
    holds = true;
    const calls = [0, 0].map((at) => limited.call(at, { 'idempotency-key': 'same' }));
    await vi.waitUntil(() => held.length === 1, WITHIN);
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    release();
    expect((await Promise.all(calls)).map(({ statusCode }) => statusCode)).toEqual([200, 200]);
  });

  test('places of a process that is gone are free', async () => {
    const limited = await create(1, 'textInput');
    await apps[0].services.database.sql.query({
      text: 'INSERT INTO run_places (id, workflow_id, worker_id) VALUES ($1, $2, $3)',
      values: [newId(), limited.id, newId()],
    });
    expect((await limited.call(0)).statusCode).toBe(200);
  });

  test('without the limit, what waited for a place runs at once', async () => {
    const limited = await create(1, 'webhookTrigger');
    holds = true;
    for (let at = 0; at < 3; at++) expect((await limited.deliver(at)).statusCode).toBe(200);
    await vi.waitUntil(() => held.length === 1, WITHIN);
    expect(await limited.statuses()).toEqual(['open', 'open', 'open']);
    await user.call('PUT', `/api/workflows/${limited.id}`, { concurrency_limit: null });
    await vi.waitUntil(() => held.length === 3, WITHIN);
    release();
    await limited.allSucceeded(3);
  });

  test('the setting is a whole number up to 10000; null is off', async () => {
    const { id } = await create(3, 'textInput');
    const put = (concurrency_limit: unknown) =>
      user.call('PUT', `/api/workflows/${id}`, { concurrency_limit });
    expect((await put(10_001)).statusCode).toBe(422);
    expect((await put(1.5)).statusCode).toBe(422);
    expect((await put(null)).json()).toMatchObject({ concurrency_limit: null });
    expect((await put(7)).json()).toMatchObject({ concurrency_limit: 7 });
  });
});
