import type { JsonObject } from '@millrace/engine';
import { describe, expect, test } from 'vitest';
import { graph } from '../../../resources/executions/testing/workflows.ts';
import { JournalUnavailable } from '../../journal/journal.ts';
import {
  createTestEnvironment,
  ECHO,
  requestOf,
  start,
  statuses,
  turn,
  waiting,
} from '../../testing/run-environment.ts';
import { resumeRun } from '../run-workflow.ts';
import type { RunSession } from '../session.ts';

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
    const handle = await environment.start(requestOf(workflow, { text: 'hi' }));
    await handle.finished;
    expect(environment.journal.runs.size).toBe(11);
  });

  /** A caller that waits for a sub-run, both given up and claimed again as after a crash. */
  async function interrupted(give_up: (caller: RunSession) => void, settings = {}) {
    const environment = createTestEnvironment();
    const child = environment.publish(waiting(60));
    const workflow = environment.publish(calling(child.settings.id), settings);
    const caller = (await environment.start(requestOf(workflow, { text: 'hi' }))) as RunSession;
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

  test.each<[string, (caller: RunSession) => void]>([
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

  test('that nobody waits for are queued', async () => {
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

describe('a pause', () => {
  const pausing = graph(
    [
      ['start', 'textInput'],
      ['ask', 'consoleLog'],
      ['out', 'output', { message: '$ask.answer' }],
    ],
    ['start>ask', 'ask>out'],
  );
  const nodes = {
    consoleLog: () => ({ suspension: { kind: 'review' as const, payload: { question: 'may I?' } } }),
  };

  test('ends the stretch as pending, and goes on with the decision where it stopped', async () => {
    const environment = createTestEnvironment({ nodes });
    const workflow = environment.publish(pausing);
    const first = (await environment.start(requestOf(workflow, { text: 'hi' }))) as RunSession;
    expect(await first.finished).toMatchObject({
      status: 'pending',
      outputs: { ask: { question: 'may I?' } },
    });
    expect(environment.journal.runs.get(first.run_id)).toMatchObject({ state: 'waiting', final: null });
    expect(environment.live.size).toBe(0);

    const decision = { node_id: 'ask', iteration: '', result: { answer: 'you may' } };
    expect(await environment.ownership.resume(first.run_id, decision)).toBe('resumed');
    expect(await environment.ownership.resume(first.run_id, decision)).toBe('decided');
    await environment.ownership.claim(1);
    const stored = await environment.journal.load(first.run_id);
    if (!stored) throw new Error('the run is gone');
    const second = await resumeRun(environment, stored, workflow);
    expect(await second.finished).toMatchObject({
      status: 'success',
      outputs: { out: { result: 'you may' } },
    });
    expect(statuses(environment, first.run_id)).toEqual([
      'start:node_finished',
      'ask:node_finished',
      'out:node_finished',
    ]);
  });

  test('makes a sub-workflow node fail, for nobody would wake its caller', async () => {
    const environment = createTestEnvironment({ nodes });
    const child = environment.publish(pausing);
    const parent = graph(
      [
        ['start', 'textInput'],
        ['call', 'execute', { executeWorkflowId: child.settings.id }],
      ],
      ['start>call'],
    );
    const handle = await start(environment, parent);
    expect(await handle.finished).toMatchObject({
      status: 'error',
      outputs: { error: expect.stringMatching(/review/) },
    });
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
  const handle = await environment.start(requestOf(workflow));
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
