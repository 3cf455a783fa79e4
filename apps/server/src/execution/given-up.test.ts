import type { HistoryEntry, HistoryList } from '@millrace/contracts';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Database } from '../database/database.ts';
import { createWorkflow, ECHO, graph, until } from '../resources/executions/testing/workflows.ts';
import { createTestApp, type TestApp, type TestUser } from '../testing/test-app.ts';
import { describeOnBoth, silent } from './journal/testing/databases.ts';
import { sampleRun } from './journal/testing/samples.ts';
import type { QueuedRun } from './model/queue.ts';
import type { RunBegin } from './model/run.ts';
import { createErrorRuns } from './ownership/error-runs.ts';
import { type Durability, openDurability } from './ownership/open-durability.ts';
import { MOST_REPORTS, runsToReport, storeErrorRun } from './store/jobs/error-runs.ts';

vi.setConfig({ testTimeout: 30_000, hookTimeout: 60_000 });

/** Its own error flow would take the place of the error workflow where the run ends by itself. */
const HANDLES_ERRORS = graph(
  [
    ['start', 'textInput'],
    ['failed', 'errorHandler'],
    ['told', 'output', { message: '$error.message' }],
  ],
  ['failed>told'],
);

/** All are given up by a process that is lost right after, so that another one has to start the error workflow. */
describeOnBoth('a run that was given up', (kind) => {
  let database: Database;
  let app: TestApp;
  let user: TestUser;
  let lost: Durability;
  beforeAll(async () => {
    database = await kind.open();
    app = await createTestApp({ database });
    user = await app.user();
    lost = openDurability({ database, broadcast: app.services.broadcast, log: silent, lease_ms: 60_000 });
    await database.sql.query({
      text: `INSERT INTO workers (id, host, lease_until, engine_version) VALUES ($1, 'test', now() + interval '1 hour', 1)`,
      values: [lost.ownership.worker_id],
    });
  });
  afterAll(() => app.close());

  async function giveUp(workflow_id: string, stored: Partial<RunBegin> = {}): Promise<string> {
    const { rows } = await database.sql.query<{ version_id: string }>({
      text: 'SELECT version_id FROM workflows WHERE id = $1',
      values: [workflow_id],
    });
    const version_id = rows[0]?.version_id ?? null;
    const run = sampleRun({ workflow_id, version_id, actor_id: user.id, ...stored });
    await lost.journal.begin(run).durable;
    await database.sql.query({ text: 'UPDATE runs SET releases = 9 WHERE id = $1', values: [run.run_id] });
    await lost.ownership.release([run.run_id], 'failed');
    return run.run_id;
  }

  const fetchHistory = async (workflow_id: string) =>
    (await user.call('GET', `/api/workflows/${workflow_id}/history`)).json<HistoryList>();
  const untilReported = () => until(async () => (await runsToReport(database.journal)).length === 0, 10_000);

  test.each([
    ['', ECHO],
    [', also where its graph has an error flow, which could not run', HANDLES_ERRORS],
  ])('starts the error workflow once%s', async (_, document) => {
    const handler = await createWorkflow(user, ECHO);
    const workflow = await createWorkflow(user, document, {
      name: 'Lost',
      error_workflow_id: handler,
    });
    const run_id = await giveUp(workflow);
    await untilReported();
    const { items, total } = await fetchHistory(handler);
    expect(total).toBe(1);
    const url = `/api/workflows/${handler}/history/${items[0]?.id}`;
    const entry = (await user.call('GET', url)).json<HistoryEntry>();
    expect(entry).toMatchObject({
      trigger_source: 'error_workflow',
      inputs: {
        body: {
          workflow_id: workflow,
          workflow_name: 'Lost',
          run_id,
          error: expect.stringMatching(/without making progress and was given up/),
          errorNode: null,
          errorNodeType: null,
        },
      },
    });
  });

  test('is reported to the workflows that subscribe to failures, once', async () => {
    const workflow = await createWorkflow(user, ECHO, { name: 'Lost' });
    const watch = graph([['in', 'platformEventTrigger', { eventNames: ['run.failed'] }]], []);
    await createWorkflow(user, watch);
    const run_id = await giveUp(workflow);
    await untilReported();
    const { rows } = await database.sql.query<{ payload: string }>({
      text: `SELECT payload FROM platform_events WHERE name = 'run.failed' AND workflow_id = $1`,
      values: [workflow],
    });
    expect(rows.map(({ payload }) => JSON.parse(payload) as unknown)).toMatchObject([
      { run_id, status: 'error', error: expect.stringMatching(/was given up/), workflow_name: 'Lost' },
    ]);
  });

  test.each([
    ['is reported when its version was deleted', null, null, 1],
    ['is not reported when it was a test run', undefined, { test_run: true }, 0],
    ['is not reported when it was of a draft that was deleted', null, { of_draft: true }, 0],
  ])('%s', async (_, version_id, options, reports) => {
    const workflow = await createWorkflow(user, ECHO);
    const watch = graph([['in', 'platformEventTrigger', { eventNames: ['run.failed'] }]], []);
    await createWorkflow(user, watch);
    await giveUp(workflow, {
      ...(version_id === null ? { version_id } : {}),
      ...(options ? { options } : {}),
    });
    await untilReported();
    const { rows } = await database.sql.query({
      text: `SELECT 1 FROM platform_events WHERE name = 'run.failed' AND workflow_id = $1`,
      values: [workflow],
    });
    expect(rows).toHaveLength(reports);
  });

  test('starts nothing where no error workflow is set, or the owner may not see it any more', async () => {
    const stranger = await app.user();
    const foreign = await createWorkflow(stranger, ECHO);
    const runs = [await giveUp(await createWorkflow(user, ECHO))];
    const workflow = await createWorkflow(user, ECHO);
    await database.sql.query({
      text: 'UPDATE workflows SET error_workflow_id = $2 WHERE id = $1',
      values: [workflow, foreign],
    });
    runs.push(await giveUp(workflow));
    await untilReported();
    const { rows } = await database.sql.query({
      text: 'SELECT 1 FROM runs WHERE parent_run_id = ANY($1)',
      values: [runs],
    });
    expect(rows).toEqual([]);
  });

  test('is reported although as many runs as a sweep reports cannot be', async () => {
    await app.services.execution.drain(0);
    const workflow = await createWorkflow(user, ECHO);
    const blocked = await createWorkflow(user, ECHO);
    for (let at = 0; at < MOST_REPORTS; at++) await giveUp(blocked);
    const run_id = await giveUp(workflow);
    const made: string[] = [];
    const sweep = createErrorRuns({
      sql: database.journal,
      log: silent,
      onWake: () => undefined,
      makeErrorRun: () => async (given_up) => {
        if (given_up.workflow_id === blocked) throw new Error('cannot be made');
        made.push(given_up.run_id);
        return {};
      },
    });
    await sweep();
    await sweep();
    expect(made).toEqual([run_id]);
    await sweep();
    const left = await runsToReport(database.journal);
    expect(left.every(({ workflow_id }) => workflow_id === blocked)).toBe(true);
    await database.sql.query({
      text: 'UPDATE runs SET error_run_due = NULL WHERE workflow_id = $1',
      values: [blocked],
    });
  });

  test('is tried again a minute after its error workflow could not be started, not in each sweep', async () => {
    await app.services.execution.drain(0);
    const run_id = await giveUp(await createWorkflow(user, ECHO));
    let at_ms = Date.now();
    const tried: string[] = [];
    const sweep = createErrorRuns({
      sql: database.journal,
      log: silent,
      onWake: () => undefined,
      makeErrorRun: () => async (given_up) => {
        tried.push(given_up.run_id);
        if (tried.length === 1) throw new Error('cannot be made');
        return {};
      },
      now: () => at_ms,
    });
    await sweep();
    await sweep();
    expect(tried).toEqual([run_id]);
    at_ms += 60_000;
    await sweep();
    expect(tried).toEqual([run_id, run_id]);
    expect(await runsToReport(database.journal)).toEqual([]);
  });

  test('is tried again after a commit that failed, and starts one run when two processes try at once', async () => {
    await app.services.execution.drain(0);
    const handler = await createWorkflow(user, ECHO);
    const run_id = await giveUp(await createWorkflow(user, ECHO, { error_workflow_id: handler }));
    const errorRun = (): QueuedRun => sampleRun({ workflow_id: handler, parent_run_id: run_id });
    const broken = {
      ...database.journal,
      transaction: <T>(work: Parameters<typeof database.journal.transaction<T>>[0]) =>
        database.journal.transaction(async (tx) => {
          await work(tx);
          throw new Error('lost before the commit');
        }),
    };
    await expect(storeErrorRun(broken, run_id, { run: errorRun() })).rejects.toThrow(
      'lost before the commit',
    );
    expect(await runsToReport(database.journal)).toMatchObject([{ run_id, depth: 0, root_run_id: run_id }]);
    const stored = await Promise.all(
      [0, 1].map(() => storeErrorRun(database.journal, run_id, { run: errorRun() })),
    );
    expect(stored.toSorted()).toEqual([false, true]);
    const { rows } = await database.sql.query({
      text: 'SELECT 1 FROM runs WHERE parent_run_id = $1',
      values: [run_id],
    });
    expect(rows).toHaveLength(1);
  });
});
