import type { Json } from '@millrace/engine';
import type { NodeCall, NodeImplementation } from '@millrace/nodes/runtime';
import { describe, expect, test } from 'vitest';
import { graph } from '../../../../resources/executions/testing/workflows.ts';
import { JournalUnavailable } from '../../../model/errors.ts';
import type { WaitRecord } from '../../../model/wait.ts';
import {
  createRequest,
  createTestEnvironment,
  statuses,
  type TestEnvironment,
  type TestEnvironmentOptions,
  turn,
} from '../../../testing/run-environment.ts';
import type { PublishedWorkflow } from '../../../workflows/published-workflow.ts';
import { deferred } from '../../deferred.ts';
import type { RunHandle } from '../../start/run-request.ts';
import { resumeRun } from '../../start/run-workflow.ts';

const called = { method: 'POST', body: { answer: 'you may' }, query: {}, headers: {} };
const place = (node_id: string, key: string) => ({ node_id, iteration: '', key });
const CALL = { ...place('ask', 'call'), decision: 'called', data: called };

/** Asks, and continues with the data of the call. */
const asking = graph(
  [
    ['start', 'textInput'],
    ['ask', 'callback', { timeoutSeconds: 60 }],
    ['send', 'set', { mappings: [{ key: 'link', value: '$ask.url' }] }],
    ['out', 'output', { message: '$ask.body.answer' }],
    ['late', 'output', { message: 'too late' }],
  ],
  ['start>ask', 'ask:waiting>send', 'ask:called>out', 'ask:timed_out>late'],
);

async function begin(environment: TestEnvironment, workflow: PublishedWorkflow): Promise<RunHandle> {
  return environment.start(createRequest(workflow, { text: 'hi' }));
}

/** Resumes the run as another process would. */
async function resumed(environment: TestEnvironment, run_id: string, workflow: PublishedWorkflow) {
  await environment.ownership.claim(10);
  const stored = await environment.journal.load(run_id);
  if (!stored) throw new Error('the run is gone');
  return resumeRun(environment, stored, workflow);
}

/** Runs the function as a node that has steps. */
function stepping(run: (call: NodeCall) => ReturnType<NodeImplementation['run']>): TestEnvironmentOptions {
  return { nodes: { wait: run } };
}

const one = graph(
  [
    ['start', 'textInput'],
    ['work', 'wait'],
    ['out', 'output', { message: '$work' }],
  ],
  ['start>work', 'work>out'],
);

describe('a wait', () => {
  test('ends the stretch as pending, and the run continues with the decision where it stopped', async () => {
    const environment = createTestEnvironment();
    const workflow = environment.publish(asking);
    const first = await begin(environment, workflow);
    const answer = await first.finished;
    expect(answer).toMatchObject({
      status: 'pending',
      outputs: { ask: { url: expect.stringMatching(/^https:\/\/test\/api\/callbacks\/[\w-]{43}$/) } },
    });
    expect(environment.journal.runs.get(first.run_id)).toMatchObject({ state: 'waiting', final: null });
    expect(environment.live.size).toBe(0);

    expect(await environment.ownership.resume(first.run_id, CALL)).toBe('resumed');
    expect(await environment.ownership.resume(first.run_id, CALL)).toBe('decided');
    const second = await resumed(environment, first.run_id, workflow);
    expect(await second.finished).toMatchObject({
      status: 'success',
      outputs: { out: { result: 'you may' }, send: { link: (answer.outputs['ask'] as { url: string }).url } },
    });
    expect(statuses(environment, first.run_id)).toEqual([
      'start:node_finished',
      'ask:node_suspended',
      'send:node_finished',
      'ask:node_finished',
      'late:node_finished',
      'out:node_finished',
    ]);
  });

  test('is decided while other nodes of the run are under way, without leaving memory', async () => {
    let release: (value: Json) => void = () => undefined;
    const held = new Promise<Json>((resolve) => (release = resolve));
    const environment = createTestEnvironment(
      stepping(async (call) => ({ output: await call.step('hold', 'read', () => held) })),
    );
    const workflow = environment.publish(
      graph(
        [
          ['start', 'textInput'],
          ['ask', 'callback'],
          ['work', 'wait'],
          ['out', 'output', { message: '$ask.body.answer' }],
        ],
        ['start>ask', 'start>work', 'ask:called>out'],
      ),
    );
    const stopListening = environment.ownership.onDecision((id) => environment.live.get(id)?.lookAtWaits());
    const handle = await begin(environment, workflow);
    await turn();
    await environment.ownership.resume(handle.run_id, CALL);
    await turn();
    expect(statuses(environment, handle.run_id)).toContain('out:node_finished');
    release('done');
    expect(await handle.finished).toMatchObject({ status: 'success' });
    stopListening();
  });

  test('makes the run that called the workflow wait too, which continues at its end', async () => {
    const environment = createTestEnvironment();
    const child = environment.publish(asking);
    const parent = environment.publish(
      graph(
        [
          ['start', 'textInput'],
          ['call', 'execute', { executeWorkflowId: child.settings.id }],
          ['out', 'output', { message: '$call.outputs.out.result' }],
        ],
        ['start>call', 'call>out'],
      ),
    );
    const first = await begin(environment, parent);
    expect(await first.finished).toMatchObject({
      status: 'pending',
      outputs: { call: { status: 'pending', workflow_id: child.settings.id } },
    });
    const child_id = [...environment.journal.runs.keys()].find((id) => id !== first.run_id) ?? '';
    await environment.ownership.resume(child_id, CALL);
    expect(await (await resumed(environment, child_id, child)).finished).toMatchObject({ status: 'success' });
    await turn();
    const second = await resumed(environment, first.run_id, parent);
    expect(await second.finished).toMatchObject({
      status: 'success',
      outputs: { out: { result: 'you may' } },
    });
    expect(environment.journal.runs.size).toBe(2);
  });

  test('for a sub-workflow that ended before the wait was stored is over at once', async () => {
    const environment = createTestEnvironment();
    const child = environment.publish(asking);
    const parent = environment.publish(
      graph(
        [
          ['start', 'textInput'],
          ['call', 'execute', { executeWorkflowId: child.settings.id }],
          ['out', 'output', { message: '$call.outputs.out.result' }],
        ],
        ['start>call', 'call>out'],
      ),
    );
    const stopListening = environment.ownership.onDecision((id) => environment.live.get(id)?.lookAtWaits());
    const wait = environment.journal.wait.bind(environment.journal);
    Object.assign(environment.journal, {
      async wait(run_id: string, record: WaitRecord) {
        if (record.child_run_id !== null) {
          await environment.ownership.resume(record.child_run_id, CALL);
          await (await resumed(environment, record.child_run_id, child)).finished;
        }
        return wait(run_id, record);
      },
    });
    const handle = await begin(environment, parent);
    expect(await handle.finished).toMatchObject({
      status: 'success',
      outputs: { out: { result: 'you may' } },
    });
    stopListening();
  });

  test('of a sub-workflow ends when the run that called it ends without it', async () => {
    const environment = createTestEnvironment();
    const child = environment.publish(asking);
    const parent = environment.publish(
      graph(
        [
          ['start', 'textInput'],
          ['call', 'execute', { executeWorkflowId: child.settings.id }],
          ['pause', 'wait', { duration: 20 }],
          ['stop', 'throwError', { errorMessage: 'enough' }],
        ],
        ['start>call', 'start>pause', 'pause>stop'],
      ),
    );
    const asked: string[] = [];
    environment.ownership.onCancel((id) => asked.push(id));
    const handle = await begin(environment, parent);
    expect(await handle.finished).toMatchObject({ status: 'error' });
    expect(asked).toEqual([...environment.journal.runs.keys()].filter((id) => id !== handle.run_id));
  });

  test('may follow another, stand beside others, and be in loops', async () => {
    const environment = createTestEnvironment(
      stepping(async (call) => {
        const ask = (key: string) =>
          call.wait(key, { kind: 'review', payload: { asks: key }, decisions: ['accepted'] });
        const both = await Promise.all([ask('a'), ask('b')]);
        const last = await ask('c');
        return { output: [...both, last].map(({ data }) => data) };
      }),
    );
    const workflow = environment.publish(
      graph(
        [
          ['start', 'textInput'],
          ['each', 'loop', { arrayExpression: '$start.list' }],
          ['work', 'wait'],
          ['out', 'output', { message: '$each.results' }],
        ],
        ['start>each', 'each:loop>work', 'work>each:loop', 'each:done>out'],
      ),
    );
    let handle: RunHandle = await environment.start(createRequest(workflow, { list: [1, 2] }));
    const waits = ['0 b', '0 a', '0 c', '1 a', '1 b', '1 c'];
    for (const wait of waits) {
      expect((await handle.finished).status).toBe('pending');
      const [iteration = '', key = ''] = wait.split(' ');
      const decision = { node_id: 'work', iteration, key, decision: 'accepted', data: wait };
      expect(await environment.ownership.resume(handle.run_id, decision)).toBe('resumed');
      handle = await resumed(environment, handle.run_id, workflow);
    }
    expect(await handle.finished).toMatchObject({
      status: 'success',
      outputs: {
        out: {
          result: [
            ['0 a', '0 b', '0 c'],
            ['1 a', '1 b', '1 c'],
          ],
        },
      },
    });
  });
});

describe('a step', () => {
  test('is done once however often the node is called, and shows under its node', async () => {
    const done: string[] = [];
    const environment = createTestEnvironment(
      stepping(async (call) => {
        const step = (key: string) =>
          call.step(key, 'unsafe', ({ idempotency_key }) => {
            done.push(idempotency_key);
            return key;
          });
        await step('first');
        await call.wait('ask', { kind: 'review', payload: {}, decisions: ['accepted'] });
        return { output: [await step('first-again'), await step('second')] };
      }),
    );
    const workflow = environment.publish(one);
    const first = await begin(environment, workflow);
    await first.finished;
    const decision = { ...place('work', 'ask'), decision: 'accepted', data: null };
    await environment.ownership.resume(first.run_id, decision);
    const second = await resumed(environment, first.run_id, workflow);
    expect(await second.finished).toMatchObject({ outputs: { out: { result: ['first-again', 'second'] } } });
    const key = `${first.run_id}:work::`;
    expect(done).toEqual([`${key}first`, `${key}first-again`, `${key}second`]);
  });

  test('that is unsafe and was interrupted fails as unknown, one that is not is repeated', async () => {
    for (const [effect, expected] of [
      ['unsafe', { status: 'error', outputs: { error: expect.stringContaining('interrupted by a crash') } }],
      ['idempotent', { status: 'success', outputs: { out: { result: 2 } } }],
    ] as const) {
      let calls = 0;
      const environment = createTestEnvironment(
        stepping(async (call) => ({
          output: await call.step('send', effect, () =>
            ++calls === 1 ? new Promise<never>(() => undefined) : calls,
          ),
        })),
      );
      const workflow = environment.publish(one);
      const first = await begin(environment, workflow);
      await turn();
      environment.journal.crash(first.run_id);
      const second = await resumed(environment, first.run_id, workflow);
      expect(await second.finished).toMatchObject(expected);
    }
  });

  test('that is unsafe and was interrupted is unknown in every attempt, also when an earlier one did not reach it', async () => {
    let sent = 0;
    let process = 1;
    let attempts = 0;
    const environment = createTestEnvironment(
      stepping(async (call) => {
        if (process === 2 && (attempts += 1) === 1) throw new Error('the sign-in does not answer');
        return {
          output: await call.step('send', 'unsafe', () =>
            (sent += 1) === 1 ? new Promise<never>(() => undefined) : sent,
          ),
        };
      }),
    );
    const document = graph(
      [
        ['start', 'textInput'],
        ['work', 'wait', { retryEnabled: true, retryWaitSeconds: 1 }],
      ],
      ['start>work'],
    );
    const workflow = environment.publish(document);
    const first = await begin(environment, workflow);
    await turn();
    environment.journal.crash(first.run_id);
    process = 2;
    const second = await resumed(environment, first.run_id, workflow);
    expect(await second.finished).toMatchObject({
      status: 'error',
      outputs: { error: expect.stringContaining('interrupted by a crash') },
    });
    expect(sent).toBe(1);
  });

  test('that failed is tried again by the next attempt of its node, and those that succeeded are not', async () => {
    const done: string[] = [];
    const environment = createTestEnvironment(
      stepping(async (call) => {
        await call.step('good', 'read', () => done.push('good'));
        return { output: await call.step('bad', 'read', () => failOnce(done)) };
      }),
    );
    const document = graph(
      [
        ['start', 'textInput'],
        ['work', 'wait', { retryEnabled: true, retryWaitSeconds: 1 }],
      ],
      ['start>work'],
    );
    const handle = await begin(environment, environment.publish(document));
    expect(await handle.finished).toMatchObject({ status: 'success', outputs: { work: 'fine' } });
    expect(done).toEqual(['good', 'bad', 'bad']);
  });

  test('needs a node that has steps, and a name of its own', async () => {
    const twice = stepping(async (call) => {
      await call.step('same', 'pure', () => 1);
      return { output: await call.step('same', 'pure', () => 2) };
    });
    const environment = createTestEnvironment(twice);
    const handle = await begin(environment, environment.publish(one));
    expect(await handle.finished).toMatchObject({
      status: 'error',
      outputs: { error: 'Two steps of this node have the name "same"' },
    });
  });
});

function failOnce(done: string[]): string {
  done.push('bad');
  if (done.filter((name) => name === 'bad').length > 1) return 'fine';
  throw new Error('not yet');
}

describe('a step with an effect', () => {
  test.each(['the lease was in doubt', 'the run was handed over'])(
    'that was not sent because %s leaves no doubt behind and is sent by the next process',
    async (cause) => {
      let sent = 0;
      const environment = createTestEnvironment(
        stepping(async (call) => ({ output: await call.step('send', 'unsafe', () => (sent += 1)) })),
      );
      const { intend } = environment.journal;
      let is_first = true;
      Object.assign(environment.ownership, {
        leaseIsSafe: () => !is_first || cause !== 'the lease was in doubt',
      });
      Object.assign(environment.journal, {
        async intend(...args: Parameters<typeof intend>) {
          const answer = await intend(...args);
          if (is_first && cause === 'the run was handed over') environment.live.get(args[0])?.handOver();
          return answer;
        },
      });
      const workflow = environment.publish(one);
      const first = await begin(environment, workflow);
      await expect(first.finished).rejects.toThrow(/lost its lease|on another process/);
      expect(sent).toBe(0);
      is_first = false;
      environment.journal.crash(first.run_id);
      expect((await environment.journal.load(first.run_id))?.intents).toEqual([]);
      const second = await resumed(environment, first.run_id, workflow);
      expect(await second.finished).toMatchObject({ status: 'success' });
      expect(sent).toBe(1);
    },
  );
});

test('a step that reads is not begun by a process that has lost its lease, for a model would be paid twice', async () => {
  const asked: string[] = [];
  const environment = createTestEnvironment(
    stepping(async (call) => {
      const first = await call.step('first', 'read', () => asked.push('first') && 'one');
      return { output: [first, await call.step('second', 'read', () => asked.push('second') && 'two')] };
    }),
  );
  Object.assign(environment.ownership, { leaseIsSafe: () => asked.length !== 1 });
  const workflow = environment.publish(one);
  const first = await begin(environment, workflow);
  await expect(first.finished).rejects.toThrow(/lost its lease/);
  expect(asked).toEqual(['first']);
  asked.push('another process begins');
  environment.journal.crash(first.run_id);
  const second = await resumed(environment, first.run_id, workflow);
  expect(await second.finished).toMatchObject({ status: 'success' });
  expect(asked.at(-1)).toBe('second');
});

test('a step that reads waits until the run and the outcome of the read before are stored, for a crash would repeat both', async () => {
  const asked: string[] = [];
  const environment = createTestEnvironment(
    stepping(async (call) => {
      const first = await call.step('first', 'read', () => asked.push('first') && 'one');
      return { output: [first, await call.step('second', 'read', () => asked.push('second') && 'two')] };
    }),
  );
  const { journal } = environment;
  const waits = [deferred<void>(), deferred<void>()];
  const waited: string[] = [];
  Object.assign(journal, {
    barrier: (run_id: string) => waits[waited.push(run_id) - 1]?.promise,
  });
  const run = await begin(environment, environment.publish(one));
  for (const [at, expected] of [[], ['first']].entries()) {
    await expect.poll(() => waited).toHaveLength(at + 1);
    await turn();
    expect(asked).toEqual(expected);
    waits[at]?.resolve();
  }
  expect(await run.finished).toMatchObject({ status: 'success' });
  expect(asked).toEqual(['first', 'second']);
});

test('a database that is away between two steps stops the run for another process, and does not fail the node', async () => {
  let isAway = true;
  const environment = createTestEnvironment(
    stepping(async (call) => {
      const first = await call.step('first', 'read', () => 'one');
      // As a credential that is looked up outside of a step.
      if (isAway) throw new JournalUnavailable(new Error('the connection was lost'));
      return { output: first };
    }),
  );
  const workflow = environment.publish(one);
  const first = await begin(environment, workflow);
  await expect(first.finished).rejects.toThrow(JournalUnavailable);
  isAway = false;
  environment.journal.crash(first.run_id);
  const second = await resumed(environment, first.run_id, workflow);
  expect(await second.finished).toMatchObject({ status: 'success' });
});
