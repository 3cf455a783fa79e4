import type { AddressInfo } from 'node:net';
import type { HistoryEntry, HistoryList } from '@millrace/contracts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgres } from '../adapters/postgres/open.ts';
import {
  createWorkflow,
  executeUrl,
  graph,
  parseFrames,
  until,
} from '../resources/executions/testing/workflows.ts';
import { createTestApp, type TestApp, type TestUser } from '../testing/test-app.ts';
import {
  describeOnPostgres,
  openPostgresForTest,
  type PostgresForTest,
  silent,
} from './journal/testing/databases.ts';

/** Two applications on one database, as two processes would be: nothing in memory is shared. */
describeOnPostgres('two processes', () => {
  let postgres: PostgresForTest;
  let one: TestApp;
  let two: TestApp;
  let user: TestUser;
  beforeAll(async () => {
    postgres = await openPostgresForTest();
    one = await createTestApp({ database: openPostgres({ url: postgres.url, log: silent }) });
    two = await createTestApp({ database: openPostgres({ url: postgres.url, log: silent }) });
    user = await one.user();
    await two.listen();
  });
  afterAll(async () => {
    await two.close();
    await postgres.database.close();
  });

  const waiting = (duration: number) =>
    graph(
      [
        ['start', 'textInput'],
        ['pause', 'wait', { duration }],
        ['out', 'output', { message: '$start.body.text' }],
      ],
      ['start>pause', 'pause>out'],
    );
  const asUser = () => ({ authorization: `Bearer ${user.access_token}` });
  const active = (app: TestApp, id: string) =>
    until(async () => {
      const url = `/api/workflows/executions/active?workflow_id=${id}`;
      const list = await app.call('GET', url, undefined, asUser());
      return list.json<{ execution_id: string }[]>()[0]?.execution_id;
    });

  test('a run of one is followed from the other, whole and in order', async () => {
    const id = await createWorkflow(user, waiting(700));
    const streamed = one.call('POST', executeUrl(id, '/stream?event_ids=true'), { text: 'hi' });
    const run_id = await active(two, id);
    const base = `http://127.0.0.1:${(two.app.server.address() as AddressInfo).port}`;
    const followed = await fetch(`${base}/api/workflows/${id}/executions/${run_id}/stream`);
    const seen = parseFrames(await followed.text());
    const own = parseFrames((await streamed).body);
    expect(seen.map(({ data }) => data.type)).toEqual(own.map(({ data }) => data.type));
    expect(seen).toEqual(own);
  });

  test('a run of one is cancelled from the other', async () => {
    const id = await createWorkflow(user, waiting(60_000));
    const answer = one.call('POST', executeUrl(id), {});
    const run_id = await active(two, id);
    const cancelled = await two.call(
      'POST',
      `/api/workflows/${id}/executions/${run_id}/cancel`,
      undefined,
      asUser(),
    );
    expect(cancelled.statusCode).toBe(200);
    expect((await answer).statusCode).toBe(409);
  });

  test('the same idempotency key at both at once is one run', async () => {
    const id = await createWorkflow(user, waiting(50));
    const headers = { 'idempotency-key': 'delivery-1' };
    const [first, second] = await Promise.all(
      [one, two].map((app) => app.call('POST', executeUrl(id), { text: 'hi' }, headers)),
    );
    expect(first?.body).toBe(second?.body);
    const list = await user.call('GET', `/api/workflows/${id}/history`);
    expect(list.json<HistoryList>().total).toBe(1);
  });

  test('a response is cached for both', async () => {
    const id = await createWorkflow(user, waiting(1), { cache_ttl_seconds: 60 });
    const status = async (app: TestApp) =>
      (await app.call('POST', executeUrl(id), { text: 'hi' })).json<{ status: string }>().status;
    expect(await status(one)).toBe('success');
    await until(async () => (await status(two)) === 'cached');
  });

  test('what one has to leave behind when it stops, the other finishes, behind the last finished node', async () => {
    const id = await createWorkflow(user, waiting(1_500));
    const answer = one.call('POST', executeUrl(id), { text: 'handed over' });
    const run_id = await active(two, id);
    await one.services.execution.drain(0);
    expect((await answer).statusCode).toBe(503);
    const entry = await until(async () => {
      const url = `/api/workflows/${id}/history/${run_id}`;
      const read = (await two.call('GET', url, undefined, asUser())).json<HistoryEntry>();
      return read.status === 'success' && read;
    }, 10_000);
    expect(entry.outputs).toEqual({ out: { result: 'handed over' } });
    expect(entry.node_results.map(({ node_id }) => node_id)).toEqual(['start', 'pause', 'out']);
    const refused = await one.call('POST', executeUrl(id), {});
    expect(refused.statusCode).toBe(503);
    expect((await one.call('GET', '/readyz')).json()).toMatchObject({ status: 'stopping' });
    await one.app.close();
    await one.services.database.close();
  });
});
