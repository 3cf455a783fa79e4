import type { JsonObject } from '@millrace/engine';
import type { Egress, EgressRequest } from '@millrace/nodes/runtime';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { graph } from '../../../resources/executions/testing/workflows.ts';
import { DuplicateRun } from '../../model/errors.ts';
import type { IntentRecord } from '../../model/step.ts';
import type { Frame } from '../../stream/frames.ts';
import {
  createRequest,
  createTestEnvironment,
  ECHO,
  noRunSecrets,
  start,
  statuses,
  turn,
  waiting,
} from '../../testing/run-environment.ts';
import type { RunCalls } from '../node/run-calls.ts';
import { resumeRun, startRun } from '../start/run-workflow.ts';
import type { RunExecutor } from './run-executor.ts';

const posting = (data: JsonObject = {}) =>
  graph(
    [
      ['start', 'textInput'],
      ['post', 'http', { curl: 'curl -X POST https://example.com/ -d "x"', ...data }],
      ['out', 'output', { message: '$post.status' }],
    ],
    ['start>post', 'post>out'],
  );

async function* nothing(): AsyncGenerator<Uint8Array> {}

function countingEgress(answer: (request: EgressRequest) => Promise<void> = () => Promise.resolve()) {
  const requests: EgressRequest[] = [];
  const egress: Egress = {
    connect: () => Promise.reject(new Error('no connections in this test')),
    resolveAddresses: () => Promise.reject(new Error('no connections in this test')),
    async request(request) {
      requests.push(request);
      await answer(request);
      return { status: 201, headers: {}, url: request.url, body: nothing() };
    },
  };
  return { egress, requests };
}

describe('a run of pure nodes', () => {
  test('is over when start returns, and is one journal row', async () => {
    const environment = createTestEnvironment();
    const handle = await start(environment);
    expect(environment.live.size).toBe(0);
    const answer = await handle.finished;
    expect(answer).toMatchObject({ status: 'success', outputs: { out: { result: 'hi' } }, shape: 'labels' });
    const kept = environment.journal.runs.get(handle.run_id);
    expect(kept?.records).toHaveLength(3);
    expect(kept?.final).toMatchObject({ status: 'success', outputs: { out: { result: 'hi' } } });
  });

  test('gives way to others when it takes long, and still ends', async () => {
    const environment = createTestEnvironment({ max_node_executions: 100_000 });
    const items = Array.from({ length: 3_000 }, (_, at) => at);
    const document = graph(
      [
        ['start', 'textInput'],
        ['each', 'loop', { arrayExpression: '$start.items' }],
        ['double', 'set', { mappings: [{ key: 'n', value: '$each.item * 2' }] }],
        ['out', 'output', { message: '$each.total' }],
      ],
      ['start>each', 'each:loop>double', 'double>each:loop', 'each:done>out'],
    );
    const handle = await environment.start(createRequest(environment.publish(document), { items }));
    expect(environment.live.size).toBe(1);
    expect((await handle.finished).outputs).toEqual({ out: { result: 3_000 } });
    expect(environment.live.size).toBe(0);
  });
});

describe('a run that waits', () => {
  test('is begun, listed while it waits, and journaled as it goes', async () => {
    const environment = createTestEnvironment();
    const handle = await start(environment, waiting(20));
    expect(environment.live.get(handle.run_id)).toBe(handle);
    expect(statuses(environment, handle.run_id)).toEqual(['start:node_finished']);
    expect((await handle.finished).outputs).toEqual({ out: { result: 'hi' } });
    expect(environment.live.size).toBe(0);
  });

  test('ends as cancelled at once when it is cancelled', async () => {
    const environment = createTestEnvironment();
    const handle = await start(environment, waiting(60_000));
    handle.cancel();
    expect(await handle.finished).toMatchObject({ status: 'cancelled' });
    expect(environment.journal.runs.get(handle.run_id)?.final).toMatchObject({ status: 'cancelled' });
  });

  // Libraries reject with errors of their own when their signal aborts, not only with `AbortError`.
  test.each([new Error('aborted'), new DOMException('This operation was aborted', 'AbortError')])(
    'is not logged as a crash when what a node waits for ends with "%s"',
    async (error) => {
      const lines: string[] = [];
      const environment = createTestEnvironment({
        log: pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }),
        nodes: {
          wait: ({ signal }) =>
            new Promise((_, reject) => {
              signal.addEventListener('abort', () => reject(error));
            }),
        },
      });
      const handle = await start(environment, waiting(60_000));
      handle.cancel();
      expect(await handle.finished).toMatchObject({ status: 'cancelled' });
      await turn();
      expect(lines.filter((line) => (JSON.parse(line) as { level: number }).level >= 40)).toEqual([]);
    },
  );

  test('ends as an error when its time is up', async () => {
    const environment = createTestEnvironment();
    const workflow = environment.publish(waiting(60_000), { timeout_ms: 20 });
    const handle = await environment.start(createRequest(workflow));
    expect(await handle.finished).toMatchObject({
      status: 'error',
      outputs: { error: expect.stringMatching(/time limit/) },
    });
  });

  test('stores no end once it is handed over, also while what follows from that end is prepared', async () => {
    const environment = createTestEnvironment();
    const target = environment.publish(ECHO);
    const document = graph(
      [
        ['pause', 'wait', { duration: 1 }],
        ['fail', 'throwError', { errorMessage: 'no' }],
      ],
      ['pause>fail'],
    );
    const workflow = environment.publish(document, { error_workflow_id: target.settings.id });
    const run: { executor?: RunExecutor } = {};
    const admit: RunCalls['admit'] = {
      ...environment.admit,
      internal(request) {
        run.executor?.handOver();
        return environment.admit.internal(request);
      },
    };
    run.executor = (await startRun(
      { ...environment, calls: { ...environment.calls, admit } },
      createRequest(workflow),
    )) as RunExecutor;
    await expect(run.executor.finished).rejects.toThrow(/continues on another process/);
    expect(environment.journal.runs.size).toBe(1);
    expect(environment.journal.runs.get(run.executor.run_id)?.final).toBeNull();
  });

  test('continues on another process after its last finished node after a crash', async () => {
    const environment = createTestEnvironment();
    const workflow = environment.publish(waiting(40));
    const first = (await environment.start(createRequest(workflow, { text: 'hi' }))) as RunExecutor;
    first.handOver();
    await expect(first.finished).rejects.toThrow(/continues on another process/);
    environment.journal.crash(first.run_id);
    await environment.ownership.claim(1);
    const stored = await environment.journal.load(first.run_id);
    if (!stored) throw new Error('the run is gone');
    const second = await resumeRun(environment, stored, workflow);
    expect((await second.finished).outputs).toEqual({ out: { result: 'hi' } });
    expect(statuses(environment, first.run_id)).toEqual([
      'start:node_finished',
      'pause:step_finished',
      'pause:node_finished',
      'out:node_finished',
    ]);
  });

  test('answers early when an output node is set to, and continues', async () => {
    const environment = createTestEnvironment();
    const document = graph(
      [
        ['start', 'textInput'],
        ['early', 'output', { message: '$start.text', allowDownstream: true }],
        ['pause', 'wait', { duration: 30 }],
        ['later', 'set', { mappings: [{ key: 'done', value: 'yes' }] }],
      ],
      ['start>early', 'early>pause', 'pause>later'],
    );
    const handle = await start(environment, document);
    expect((await handle.answered).outputs).toEqual({ early: { result: 'hi' } });
    expect(environment.live.size).toBe(1);
    expect((await handle.finished).status).toBe('success');
    expect(statuses(environment, handle.run_id)).toContain('later:node_finished');
  });
});

describe('an effect', () => {
  test('is preceded by a stored intent and everything that led to it', async () => {
    const seen: unknown[] = [];
    const { egress, requests } = countingEgress(async () => {
      const [run] = environment.journal.runs.values();
      seen.push(run?.intents.length, run?.records.length);
    });
    const environment = createTestEnvironment({ egress });
    const handle = await start(environment, posting());
    expect((await handle.finished).outputs).toEqual({ out: { result: 201 } });
    expect(requests).toHaveLength(1);
    expect(seen).toEqual([1, 1]);
  });

  async function crashDuringEffect(data: JsonObject = {}) {
    let isFirst = true;
    const { egress, requests } = countingEgress(async () => {
      if (!isFirst) return;
      isFirst = false;
      await new Promise(() => undefined);
    });
    const environment = createTestEnvironment({ egress });
    const workflow = environment.publish(posting(data));
    const first = (await environment.start(createRequest(workflow))) as RunExecutor;
    await turn();
    first.handOver();
    environment.journal.crash(first.run_id);
    await environment.ownership.claim(1);
    const stored = await environment.journal.load(first.run_id);
    if (!stored) throw new Error('the run is gone');
    const second = await resumeRun(environment, stored, workflow);
    return { answer: await second.finished, requests };
  }

  test('whose outcome a crash left unknown is not repeated on its own', async () => {
    const { answer, requests } = await crashDuringEffect();
    expect(requests).toHaveLength(1);
    expect(answer).toMatchObject({ status: 'error', outputs: { error: expect.stringMatching(/unknown/) } });
  });

  test('is repeated with the same key where the node says so', async () => {
    const { answer, requests } = await crashDuringEffect({ onUnknownOutcome: 'repeat' });
    expect(answer.status).toBe('success');
    expect(requests).toHaveLength(2);
  });

  test('is not sent once the lease is in doubt', async () => {
    const { egress, requests } = countingEgress();
    const environment = createTestEnvironment({ egress });
    Object.assign(environment.ownership, { leaseIsSafe: () => false });
    const handle = await start(environment, posting());
    await expect(handle.finished).rejects.toThrow(/lease/);
    expect(requests).toHaveLength(0);
    expect(environment.journal.runs.get(handle.run_id)?.final).toBeNull();
  });

  test('that was not sent because the lease was in doubt is sent by the next process', async () => {
    const { egress, requests } = countingEgress();
    const environment = createTestEnvironment({ egress });
    const workflow = environment.publish(posting());
    let lease_is_safe = false;
    Object.assign(environment.ownership, { leaseIsSafe: () => lease_is_safe });
    const first = await environment.start(createRequest(workflow));
    await expect(first.finished).rejects.toThrow(/lease/);
    lease_is_safe = true;
    environment.journal.crash(first.run_id);
    const stored = await environment.journal.load(first.run_id);
    expect(stored?.intents).toEqual([]);
    const second = await resumeRun(environment, stored ?? expect.fail('the run is stored'), workflow);
    expect((await second.finished).status).toBe('success');
    expect(requests).toHaveLength(1);
  });

  test('is not sent, and leaves no doubt behind, when the run is cancelled while its intent is stored', async () => {
    const { egress, requests } = countingEgress();
    const environment = createTestEnvironment({ egress });
    const { intend } = environment.journal;
    Object.assign(environment.journal, {
      async intend(run_id: string, intent: IntentRecord) {
        const answer = await intend(run_id, intent);
        environment.live.get(run_id)?.cancel();
        return answer;
      },
    });
    const handle = await start(environment, posting());
    expect((await handle.finished).status).toBe('cancelled');
    expect(requests).toHaveLength(0);
    expect(environment.journal.runs.get(handle.run_id)?.intents).toEqual([]);
  });
});

test('global variables are stored for the person that the run is attributed to, the last write wins', async () => {
  const written: unknown[] = [];
  const environment = createTestEnvironment({
    run_secrets: {
      ...noRunSecrets,
      globalVariables: () => Promise.resolve({ values: { counter: 1 }, shown: { counter: 1 }, secrets: [] }),
      setGlobalVariable: (_tx, user_id, write) => {
        written.push([user_id, write]);
        return Promise.resolve();
      },
    },
  });
  const document = graph(
    [
      ['start', 'textInput'],
      ['one', 'variable', { variableName: 'counter', variableValue: '$global.counter + 1', isGlobal: true }],
      ['two', 'variable', { variableName: 'counter', variableValue: '$global.counter + 1', isGlobal: true }],
      ['local', 'variable', { variableName: 'other', variableValue: 'x' }],
    ],
    ['start>one', 'one>two', 'two>local'],
  );
  const handle = await start(environment, document);
  expect((await handle.finished).status).toBe('success');
  expect(written).toEqual([[handle.run_as, { name: 'counter', value: 3, sealed_value: null, by: 2 }]]);
});

test('a second run with the same key is told which one was first', async () => {
  const environment = createTestEnvironment();
  const workflow = environment.publish(ECHO);
  const first = await environment.start(createRequest(workflow, {}, { idempotency_key: 'k' }));
  await first.finished;
  const second = await environment.start(createRequest(workflow, {}, { idempotency_key: 'k' }));
  const error = await second.finished.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(DuplicateRun);
  expect((error as DuplicateRun).existing_run_id).toBe(first.run_id);
});

test('secrets are masked in rows, outputs and frames, and nodes still see them', async () => {
  const { egress, requests } = countingEgress();
  const secret = 'sk-live-0123456789';
  const environment = createTestEnvironment({
    egress,
    run_secrets: {
      ...noRunSecrets,
      credentialsByName: (_user, names) =>
        Promise.resolve(
          new Map(
            (names ?? []).map((name) => [
              name,
              { id: '1', name, type: 'bearer', expression_value: secret, config: {}, secrets: [secret] },
            ]),
          ),
        ),
    },
  });
  const document = graph(
    [
      ['start', 'textInput'],
      ['leak', 'set', { mappings: [{ key: 'token', value: '$credentials.key' }] }],
      ['post', 'http', { curl: 'curl -X POST https://example.com/ -H "Authorization: $leak.token"' }],
      ['out', 'output', { message: '$leak.token' }],
    ],
    ['start>leak', 'leak>post', 'post>out'],
  );
  const frames: Frame[] = [];
  const handle = await environment.start(
    createRequest(
      environment.publish(document),
      {},
      {
        observer: { frame: (frame) => void frames.push(frame), closed: () => undefined },
      },
    ),
  );
  const answer = await handle.finished;
  expect(answer.outputs).toEqual({ out: { result: 'sk-live**' } });
  expect(requests[0]?.headers).toContainEqual(['Authorization', secret]);
  const everything = JSON.stringify([frames, answer, [...environment.journal.runs.values()]]);
  expect(everything).not.toContain(secret);
  expect(everything).toContain('sk-live**');
});

describe('§8.4: the workspace of the scripts of a run', () => {
  const skills = [{ name: 'report', content: '', files: [{ path: 'main.py', content: 'print(1)' }] }];

  /** The runs whose workspaces are dropped, and how the run ended. */
  async function dropped(lead: JsonObject, second: 'set' | 'humanReview' = 'set') {
    const runs: string[] = [];
    const output = { text: 'Draft' };
    const environment = createTestEnvironment({ nodes: { agent: () => Promise.resolve({ output }) } });
    const { nodes } = environment;
    const { sandboxes } = nodes.ports;
    const scripts = {
      ...sandboxes.scripts,
      dropWorkspace: (run_id: string) => Promise.resolve(void runs.push(run_id)),
    };
    const document = graph(
      [
        ['start', 'textInput'],
        ['lead', 'agent', { credentialId: 'c', model: 'm1', ...lead }],
        ['then', second],
      ],
      ['start>lead', 'lead>then'],
    );
    const request = createRequest(environment.publish(document));
    const handle = await startRun(
      {
        ...environment,
        nodes: { ...nodes, ports: { ...nodes.ports, sandboxes: { ...sandboxes, scripts } } },
      },
      request,
    );
    const { status } = await handle.finished;
    return { runs, run_id: handle.run_id, status };
  }

  test('is dropped when the run has ended', async () => {
    const { runs, run_id, status } = await dropped({ skills });
    expect(status).toBe('success');
    expect(runs).toEqual([run_id]);
  });

  test('is kept while the run waits for a person', async () => {
    const { runs, status } = await dropped({ skills }, 'humanReview');
    expect(status).toBe('pending');
    expect(runs).toEqual([]);
  });

  test('is not looked for where no agent has skills', async () => {
    expect((await dropped({})).runs).toEqual([]);
  });
});
