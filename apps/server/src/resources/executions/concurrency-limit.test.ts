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

  async function create(
    concurrency_limit: number,
    trigger: 'textInput' | 'webhookTrigger',
    more: Record<string, unknown> = {},
  ) {
    const hook = `limited-${(count += 1)}`;
    const content = graph(
      [
        [hook, trigger],
        ['call', 'http', { curl: `curl ${url}` }],
      ],
      [`${hook}>call`],
    );
    const id = await createWorkflow(user, content, { concurrency_limit, ...more });
    const statuses = async () => {
      const text = 'SELECT status, state FROM runs WHERE workflow_id = $1 ORDER BY id';
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
      deliver: (at: number, payload: object = {}) =>
        (apps[at % 2] as TestApp).app.inject({ method: 'POST', url: `/api/webhooks/${hook}`, payload }),
      call: (at: number, headers: Record<string, string> = {}, payload: object = { text: 'x' }) =>
        (apps[at % 2] as TestApp).app.inject({ method: 'POST', url: executeUrl(id), headers, payload }),
      stream: () =>
        apps[0].app.inject({ method: 'POST', url: `${executeUrl(id)}/stream`, payload: { text: 'x' } }),
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
      // §2.3: the envelope of a call over the rate limit.
      expect(refused.json()).toMatchObject({
        workflow_id: limited.id,
        status: 'rate_limited',
        outputs: {},
        execution_time_ms: 0,
        code: 'rate_limited',
        detail: 'The workflow may have one run under way at once; try again later',
      });
    }
    const streamed = await limited.stream();
    expect([streamed.statusCode, streamed.json<{ status: string }>().status]).toEqual([429, 'rate_limited']);
    const waiting = limited.call(1);
    release();
    expect((await first).statusCode).toBe(200);
    expect((await waiting).statusCode).toBe(200);
    expect((await limited.statuses()).toSorted()).toEqual([
      ...Array.from({ length: 3 }, () => 'rate_limited'),
      'success',
      'success',
    ]);
  });

  test('with a key, each of its values has its own places; runs without a value share those of the workflow', async () => {
    const limited = await create(1, 'textInput', { concurrency_key: '$input.body.customer' });
    holds = true;
    const calls = ['a', 'b', null].map((customer) => limited.call(0, {}, { customer }));
    await vi.waitUntil(() => held.length === 3, WITHIN);
    const refused = await Promise.all([limited.call(1, {}, { customer: 'a' }), limited.call(1, {}, {})]);
    expect(refused.map(({ statusCode }) => statusCode)).toEqual([429, 429]);
    expect(refused[0]?.json<{ detail: string }>().detail).toContain('one run with this key');
    release();
    expect((await Promise.all(calls)).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200]);
  });

  test('a delivery that is one too many gets 429, is in the history, and is accepted when it comes again', async () => {
    const limited = await create(1, 'webhookTrigger', { queue_limit: 1 });
    holds = true;
    for (let at = 0; at < 2; at++) expect((await limited.deliver(at)).statusCode).toBe(200);
    await vi.waitUntil(() => held.length === 1, WITHIN);
    const refused = await limited.deliver(0, { order: 7 });
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '1']);
    expect(refused.json<{ detail: string }>().detail).toContain('one run under way at once and 1 waiting');
    await vi.waitUntil(async () => (await limited.statuses()).includes('rate_limited'), WITHIN);
    release();
    await limited.allSucceeded(2);
    expect((await limited.deliver(0, { order: 7 })).statusCode).toBe(200);
    await limited.allSucceeded(3);
  });

  test('where none may wait, a call is refused without waiting for a place', async () => {
    const rate = { rate_limit_requests: 5, rate_limit_window_seconds: 60 };
    const limited = await create(1, 'textInput', { queue_limit: 0, ...rate });
    holds = true;
    const first = limited.call(0);
    await vi.waitUntil(() => held.length === 1, WITHIN);
    const at_ms = performance.now();
    const refused = await limited.call(1);
    expect(refused.statusCode).toBe(429);
    expect(performance.now() - at_ms).toBeLessThan(900);
    expect(refused.headers).toMatchObject({ 'x-ratelimit-limit': '5', 'retry-after': '1' });
    release();
    expect((await first).statusCode).toBe(200);
  });

  test('the run that has waited longest makes room for a new one, and cannot be lost out of sight', async () => {
    const limited = await create(1, 'webhookTrigger', { queue_limit: 1, queue_overflow: 'drop_oldest' });
    holds = true;
    for (let at = 0; at < 3; at++) {
      expect((await limited.deliver(at)).statusCode).toBe(200);
      if (at === 0) await vi.waitUntil(() => held.length === 1, WITHIN);
    }
    expect(await limited.statuses()).toEqual(['open', 'cancelled', 'open']);
    const entries = (await user.call('GET', `/api/workflows/${limited.id}/history`)).json<{
      items: { id: string; status: string }[];
    }>().items;
    const dropped = entries.find(({ status }) => status === 'cancelled');
    const entry = await user.call('GET', `/api/workflows/${limited.id}/history/${dropped?.id}`);
    expect(entry.json()).toMatchObject({ status: 'cancelled', outputs: { reason: 'queue_full' } });
    release();
    await limited.allSucceeded(2);
  });

  test('a replay that is one too many is refused', async () => {
    const limited = await create(1, 'webhookTrigger', { queue_limit: 0 });
    const { headers } = await limited.deliver(0);
    await limited.allSucceeded(1);
    holds = true;
    await vi.waitUntil(async () => (await limited.deliver(0)).statusCode === 200, WITHIN);
    const run_id = String(headers['x-execution-id']);
    const url = `/api/workflows/${limited.id}/executions/${run_id}/replay`;
    const refused = await user.call('POST', url, { from: 'start' });
    expect([refused.statusCode, refused.json<{ code: string }>().code]).toEqual([429, 'rate_limited']);
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
    const listed = await user.call('GET', `/api/workflows/${limited.id}/history`);
    const { items } = listed.json<{ items: { id: string; waits_behind: number | null }[] }>();
    expect(items.map(({ waits_behind }) => waits_behind)).toEqual([1, 0, null]);
    const entry = await user.call('GET', `/api/workflows/${limited.id}/history/${items[0]?.id}`);
    expect(entry.json()).toMatchObject({ status: 'queued', waits_behind: 1 });
    const queue = await user.call('GET', `/api/workflows/${limited.id}/queue`);
    expect(queue.json()).toEqual({ places_taken: 1, waiting: 2 });
    const stranger = await apps[0].user();
    expect((await stranger.call('GET', `/api/workflows/${limited.id}/queue`)).statusCode).toBe(404);
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

  test.each([
    [{ concurrency_key: '$input.body.customer' }, undefined],
    [{ concurrency_key: 'always the same' }, 'must be one expression that reads only $input'],
    [{ concurrency_key: '$other.value' }, 'must be one expression that reads only $input'],
    [{ queue_limit: 0 }, undefined],
    [{ queue_limit: -1 }, 'must be at least 0'],
    [{ queue_limit: 0, queue_overflow: 'drop_oldest' }, 'only where at least one may wait'],
    [{ queue_overflow: 'sometimes' }, 'must be one of refuse, drop_oldest'],
    [{ priority: 100 }, undefined],
    [{ priority: 101 }, 'must be at most 100'],
  ])('%j is checked', async (settings, problem) => {
    const { id } = await create(3, 'textInput');
    const answer = await user.call('PUT', `/api/workflows/${id}`, settings);
    if (problem === undefined) return expect(answer.json()).toMatchObject(settings);
    expect(answer.statusCode).toBe(422);
    expect(answer.body).toContain(problem);
  });

  test('§5.8: only the owner changes the limits', async () => {
    const { id } = await create(1, 'textInput');
    const guest = await apps[0].user();
    await user.call('POST', `/api/workflows/${id}/shares`, { email: guest.email });
    const answer = await guest.call('PUT', `/api/workflows/${id}`, { priority: 9 });
    expect([answer.statusCode, answer.json<{ detail: string }>().detail]).toEqual([
      403,
      'Only the owner of the workflow may change priority',
    ]);
  });
});
