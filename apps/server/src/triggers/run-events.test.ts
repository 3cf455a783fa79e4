import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '@millrace/engine';
import { receivers } from '@millrace/nodes/runtime';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgres } from '../adapters/postgres/open.ts';
import {
  describeOnPostgres,
  openPostgresForTest,
  type PostgresForTest,
  silent,
} from '../execution/journal/testing/databases.ts';
import { createWorkflow, ECHO, executeUrl, graph, until } from '../resources/executions/testing/workflows.ts';
import { createTestApp, type TestApp, type TestUser } from '../testing/test-app.ts';
import { createTriggerHost } from './host/host.ts';
import { joinHosts } from './host/shares.ts';

/** Two processes on one database; the first hosts the triggers. */
let apps: [TestApp, TestApp];
let postgres: PostgresForTest;
let owner: TestUser;
let host: ReturnType<typeof createTriggerHost>;

const FAILING = graph(
  [
    ['start', 'textInput'],
    ['stop', 'throwError', { errorMessage: 'out of paint' }],
  ],
  ['start>stop'],
);
const watcher = (eventNames: readonly string[]) =>
  graph(
    [
      ['events', 'platformEventTrigger', { eventNames: [...eventNames] }],
      ['out', 'output', { message: '$events.count' }],
    ],
    ['events>out'],
  );

interface Told {
  readonly name: string;
  readonly workflow_id: string;
  readonly payload: JsonObject;
}
async function told(user = owner): Promise<Told[]> {
  const { rows } = await apps[0].services.database.sql.query<Omit<Told, 'payload'> & { payload: string }>({
    text: `SELECT name, workflow_id, payload FROM platform_events WHERE owner_id = $1 AND name LIKE 'run.%' ORDER BY id`,
    values: [user.id],
  });
  return rows.map(({ payload, ...event }) => ({ ...event, payload: JSON.parse(payload) as JsonObject }));
}
/** The user at the second process. */
const second = (user: TestUser, method: string, url: string, body?: object) =>
  apps[1].call(method, url, body, { authorization: `Bearer ${user.access_token}` });
const look = async () => {
  apps[0].clock.now += 5_000;
  await host.tick();
  await host.settled();
};
const loadRuns = async (workflow_id: string) =>
  (
    await apps[0].services.database.sql.query<{ input: string; status: string }>({
      text: 'SELECT input, status FROM runs WHERE workflow_id = $1 ORDER BY id',
      values: [workflow_id],
    })
  ).rows;

describeOnPostgres('§6.2 events of runs', () => {
  beforeAll(async () => {
    postgres = await openPostgresForTest();
    const open = () => createTestApp({ database: openPostgres({ url: postgres.url, log: silent }) });
    apps = [await open(), await open()];
    apps[1].clock.now = apps[0].clock.now;
    const { services } = apps[0];
    await joinHosts(services.database.sql, services.execution.ownership.worker_id);
    host = createTriggerHost({ services, receivers });
  }, 60_000);
  afterAll(async () => {
    await host.stop();
    for (const app of apps) await app.close();
    await postgres.database.close();
  });

  test('are written with the end of a run where another workflow of the owner names them, from then on in every process', async () => {
    owner = await apps[0].user();
    const [works, fails] = [await createWorkflow(owner, ECHO), await createWorkflow(owner, FAILING)];
    await owner.call('POST', executeUrl(works), { text: 'x' });
    await second(owner, 'POST', executeUrl(works), { text: 'x' });
    await createWorkflow(owner, watcher([]));
    await owner.call('POST', executeUrl(works), { text: 'x' });
    expect(await told()).toEqual([]);
    await createWorkflow(owner, watcher(['run.failed']));
    const [one, two] = [
      await second(owner, 'POST', executeUrl(fails), { text: 'x' }),
      await owner.call('POST', executeUrl(fails), { text: 'x' }),
    ];
    await owner.call('POST', executeUrl(works), { text: 'x' });
    const event = (run_id: unknown) => ({
      name: 'run.failed',
      workflow_id: fails,
      payload: {
        workflow_id: fails,
        workflow_name: expect.any(String),
        owner_id: owner.id,
        run_id,
        status: 'error',
        trigger_source: 'API',
        error: 'out of paint',
        failed_node: { label: 'stop', type: 'throwError' },
        execution_time_ms: expect.any(Number),
        ended_at: expect.stringMatching(/^\d{4}-/),
      },
    });
    expect(await told()).toEqual([
      event(one.headers['x-execution-id']),
      event(two.headers['x-execution-id']),
    ]);
    await createWorkflow(owner, watcher(['run.finished']));
    await second(owner, 'POST', executeUrl(works), { text: 'x' });
    expect((await told()).map(({ name }) => name)).toEqual(['run.failed', 'run.failed', 'run.finished']);
  });

  test('of a run whose end is stored late, after an outage, are published then, within the dispatch window', async () => {
    owner = await apps[0].user();
    const works = await createWorkflow(owner, ECHO);
    await createWorkflow(owner, watcher(['run.finished']));
    let answered: Promise<unknown> | undefined;
    await postgres.database.journal.transaction(async (tx) => {
      await tx.query({ text: 'LOCK TABLE runs IN SHARE ROW EXCLUSIVE MODE', values: [] });
      answered = owner.call('POST', executeUrl(works), { text: 'x' });
      await pause(500);
      apps[0].clock.now += 6 * 60_000;
    });
    await answered;
    const { rows } = await apps[0].services.database.sql.query<{ late_ms: number }>({
      text: `SELECT (extract(epoch FROM created_at - (payload::jsonb->>'ended_at')::timestamptz) * 1000)::float8 AS late_ms
        FROM platform_events WHERE workflow_id = $1 AND name = 'run.finished'`,
      values: [works],
    });
    expect(rows).toEqual([{ late_ms: 6 * 60_000 }]);
  });

  test('are not written for other people, trials, drafts, and runs that another run started', async () => {
    owner = await apps[0].user();
    const stranger = await apps[0].user();
    await createWorkflow(owner, watcher(['run.failed', 'run.finished']));
    const theirs = await createWorkflow(stranger, ECHO);
    await stranger.call('POST', executeUrl(theirs), { text: 'x' });
    expect(await told(stranger)).toEqual([]);
    const child = await createWorkflow(owner, ECHO);
    const parent = await createWorkflow(
      owner,
      graph(
        [
          ['start', 'textInput'],
          ['call', 'execute', { executeWorkflowId: child }],
        ],
        ['start>call'],
      ),
    );
    await owner.call('POST', `${executeUrl(child)}?test_run=true`, { text: 'x' });
    await owner.call('POST', executeUrl(child), { text: 'x' }, { 'x-run-draft': 'true' });
    expect(await told()).toHaveLength(1);
    await owner.call('POST', executeUrl(parent), { text: 'x' });
    expect((await told()).map(({ workflow_id }) => workflow_id)).toEqual([child, parent]);
  });

  test('end with the run that they start: neither that nor what it calls is an event, and no workflow gets events of its runs', async () => {
    owner = await apps[0].user();
    const names = ['run.failed', 'run.finished'];
    const called = await createWorkflow(owner, ECHO);
    const first = await createWorkflow(owner, {
      ...graph(
        [
          ['events', 'platformEventTrigger', { eventNames: names }],
          ['call', 'execute', { executeWorkflowId: called }],
        ],
        ['events>call'],
      ),
    });
    const other = await createWorkflow(owner, watcher(names));
    const plain = await createWorkflow(owner, ECHO);
    await look();
    apps[0].clock.now += 10;
    await owner.call('POST', executeUrl(plain), { text: 'x' });
    for (let at = 0; at < 4; at++) {
      await look();
      for (const id of [first, other])
        await until(async () => (await loadRuns(id)).every(({ status }) => status === 'success'));
    }
    expect(await loadRuns(first)).toHaveLength(1);
    expect(await loadRuns(other)).toHaveLength(1);
    expect(await told()).toHaveLength(1);
    // Called by hand its run is like all others, but the event goes to the other workflow.
    apps[0].clock.now += 10;
    await owner.call('POST', executeUrl(first), { text: 'x' });
    await look();
    await look();
    expect((await told()).map(({ workflow_id }) => workflow_id)).toEqual([plain, first]);
    expect(await loadRuns(first)).toHaveLength(2);
    expect(await loadRuns(other)).toHaveLength(2);
  });
});
