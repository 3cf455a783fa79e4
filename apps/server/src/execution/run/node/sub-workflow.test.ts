import type { JsonObject } from '@millrace/engine';
import { describe, expect, test } from 'vitest';
import { graph } from '../../../resources/executions/testing/workflows.ts';
import { JournalUnavailable } from '../../model/errors.ts';
import {
  createRequest,
  createTestEnvironment,
  ECHO,
  start,
  turn,
  waiting,
} from '../../testing/run-environment.ts';
import type { RunExecutor } from '../executor/run-executor.ts';
import { resumeRun } from '../start/run-workflow.ts';

describe('sub-workflows', () => {
  const calling = (target: string, data: JsonObject = {}) =>
    graph(
      [
        ['start', 'textInput'],
        ['call', 'execute', { executeWorkflowId: target, executeInput: '$start.text', ...data }],
        ['out', 'output', { message: '$call.outputs' }],
      ],
      ['start>call', 'call>out'],
    );

  test('run with a history row of their own, as the same person', async () => {
    const environment = createTestEnvironment();
    const child = environment.publish(ECHO);
    const handle = await start(environment, calling(child.settings.id));
    expect((await handle.finished).outputs).toEqual({ out: { result: { out: { result: 'hi' } } } });
    const row = [...environment.journal.runs.values()].find(
      ({ begin }) => begin.workflow_id === child.settings.id,
    );
    expect(row?.begin).toMatchObject({
      trigger_source: 'SUB_WORKFLOW',
      parent_run_id: handle.run_id,
      depth: 1,
      actor_id: handle.run_as,
    });
  });

  test('that the person may not see do not exist', async () => {
    const environment = createTestEnvironment();
    const child = environment.publish(ECHO);
    environment.hidden.add(child.settings.id);
    const handle = await start(environment, calling(child.settings.id));
    expect(await handle.finished).toMatchObject({ status: 'error' });
  });

  test('end with the run that called them', async () => {
    const environment = createTestEnvironment();
    const child = environment.publish(waiting(60_000));
    const handle = await start(environment, calling(child.settings.id));
    await turn();
    expect(environment.live.size).toBe(2);
    handle.cancel();
    expect(await handle.finished).toMatchObject({ status: 'cancelled' });
    await turn();
    const finals = [...environment.journal.runs.values()].map(({ final }) => final?.status);
    expect(finals).toEqual(['cancelled', 'cancelled']);
  });

  test('that call themselves end at the depth limit', async () => {
    const environment = createTestEnvironment();
    const workflow = environment.publish(ECHO);
    const own = environment.publish(calling(workflow.settings.id));
    Object.assign(workflow.version, { graph: own.version.graph });
    const handle = await environment.start(createRequest(workflow, { text: 'hi' }));
    await handle.finished;
    expect(environment.journal.runs.size).toBe(11);
  });

  /** A caller that waits for a sub-run, both given up and claimed again as after a crash. */
  async function interrupted(give_up: (caller: RunExecutor) => void, settings = {}) {
    const environment = createTestEnvironment();
    const child = environment.publish(waiting(60));
    const workflow = environment.publish(calling(child.settings.id), settings);
    const caller = (await environment.start(createRequest(workflow, { text: 'hi' }))) as RunExecutor;
    await turn();
    const started = [...environment.journal.runs.keys()];
    give_up(caller);
    await turn();
    for (const id of started) environment.journal.crash(id);
    await environment.ownership.claim(2);
    const resume = async (id: string) => {
      const stored = await environment.journal.load(id);
      const target = stored?.begin.workflow_id === workflow.settings.id ? workflow : child;
      if (!stored) throw new Error('the run is gone');
      return resumeRun(environment, stored, target);
    };
    return { environment, started, resume, caller_id: caller.run_id };
  }

  test.each<[string, (caller: RunExecutor) => void]>([
    ['handed over', (caller) => caller.handOver()],
    ['not storable for a while', (caller) => caller.fail(new JournalUnavailable(new Error('down')))],
  ])('that a caller began before it was %s are found again, not started again', async (_, give_up) => {
    const { environment, started, resume } = await interrupted(give_up);
    expect(started).toHaveLength(2);
    const statuses = [...environment.journal.runs.values()].map(({ final }) => final);
    expect(statuses).toEqual([null, null]);
    const [caller] = await Promise.all(started.map(resume));
    expect((await caller?.finished)?.outputs).toEqual({ out: { result: { out: { result: 'hi' } } } });
    expect(environment.journal.runs.size).toBe(2);
  });

  test('that were found again end with their caller, also when its time is up', async () => {
    const { environment, started, resume, caller_id } = await interrupted((caller) => caller.handOver(), {
      timeout_ms: 1_000,
    });
    const caller = await resume(caller_id);
    const asked: string[] = [];
    environment.ownership.onCancel((id) => asked.push(id));
    expect(await caller.finished).toMatchObject({ status: 'error' });
    await turn();
    expect(asked).toEqual(started.filter((id) => id !== caller_id));
  });

  test('that no run waits for are queued', async () => {
    const environment = createTestEnvironment();
    const child = environment.publish(ECHO);
    const handle = await start(environment, calling(child.settings.id, { executeDoNotWait: true }));
    expect((await handle.finished).status).toBe('success');
    const row = [...environment.journal.runs.values()].find(
      ({ begin }) => begin.workflow_id === child.settings.id,
    );
    expect(row).toMatchObject({ state: 'queued', begin: { trigger_source: 'SUB_WORKFLOW' } });
  });
});

test('the error workflow hears of a failure once', async () => {
  const environment = createTestEnvironment();
  const handler = environment.publish(ECHO);
  const failing = graph(
    [
      ['start', 'textInput'],
      ['stop', 'throwError', { errorMessage: 'broken', httpStatusCode: 418 }],
    ],
    ['start>stop'],
  );
  const workflow = environment.publish(failing, { error_workflow_id: handler.settings.id });
  const handle = await environment.start(createRequest(workflow));
  expect(await handle.finished).toMatchObject({
    status: 'error',
    http_status: 418,
    outputs: { error: 'broken' },
  });
  const queued = [...environment.journal.runs.values()].filter(({ state }) => state === 'queued');
  expect(queued.map(({ begin }) => begin.input)).toEqual([
    {
      headers: {},
      query: {},
      body: {
        workflow_id: workflow.settings.id,
        workflow_name: 'Test',
        run_id: handle.run_id,
        error: 'broken',
        errorNode: 'stop',
        errorNodeType: 'throwError',
      },
    },
  ]);
});
