import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../json.ts';
import { type DrawnNodes, draw, type RunSettings, runToEnd, testCatalog } from '../../testing/index.ts';
import { compileWorkflow } from '../../workflow/compile.ts';
import type { NodeResult } from '../node-run.ts';
import { NodeFailure } from '../node-run.ts';
import type { NodeTask } from '../task.ts';

async function run(graph: string, nodes: DrawnNodes = {}, settings: RunSettings = {}) {
  return runToEnd(compileWorkflow(draw(graph, nodes), testCatalog), settings);
}

describe('failures', () => {
  it('end the run with the message, and what is behind never runs', async () => {
    const { status, outputs, statuses, finished } = await run('start -> bad -> next', {
      bad: { fails: 'no luck' },
    });
    expect(status).toBe('error');
    expect(outputs).toEqual({ error: 'no luck' });
    expect(statuses).toEqual({ start: 'success', bad: 'error' });
    expect(finished).toMatchObject({
      failure: { kind: 'upstream' },
      failed_node: { node_id: 'bad', node_label: 'bad', node_type: 'step', message: 'no luck' },
    });
  });

  it('let running siblings finish and be recorded, but start nothing new', async () => {
    let release: (result: NodeResult) => void = () => {};
    const slow = new Promise<NodeResult>((resolve) => (release = resolve));
    const { statuses } = await run(
      'start -> sibling -> never\nstart -> bad',
      {},
      {
        host: {
          runNode: (task) => {
            if (task.node.id === 'sibling') return slow;
            if (task.node.id !== 'bad') return { output: {} };
            queueMicrotask(() => release({ output: 'done' }));
            return { failure: { kind: 'upstream', message: 'bad' } };
          },
        },
      },
    );
    expect(statuses).toEqual({ start: 'success', bad: 'error', sibling: 'success' });
  });

  it('follow the error handle of a node that has it, and only that', async () => {
    const { status, statuses, output } = await run('start -> bad -> fine\nbad:error -> rescue', {
      bad: { fails: 'oops', onErrorEnabled: true },
    });
    expect(status).toBe('success');
    expect(statuses).toEqual({ start: 'success', bad: 'success', fine: 'skipped', rescue: 'success' });
    expect(output['bad']).toEqual({ error: 'oops', _errorBranch: true });
  });

  it('leave the error side dead when the node succeeds, and a join of both sides runs once', async () => {
    const { statuses } = await run('start -> good -> join\ngood:error -> rescue -> join', {
      good: { onErrorEnabled: true },
    });
    expect(statuses).toEqual({ start: 'success', good: 'success', rescue: 'skipped', join: 'success' });
  });

  it('keep node-specific details beside the message', async () => {
    const { output } = await run(
      'start -> bad',
      {},
      {
        host: {
          runNode: ({ node }) =>
            node.id === 'bad'
              ? { failure: { kind: 'upstream', message: 'no', details: { status: 502, error: 'hidden' } } }
              : { output: {} },
        },
      },
    );
    expect(output['bad']).toEqual({ status: 502, error: 'no' });
  });

  it('of nodes that always stop ignore error handle and retry', async () => {
    const { status, statuses, events } = await run('start -> stop\nstop:error -> rescue', {
      stop: { type: 'throw', message: 'Halt', onErrorEnabled: true, retryEnabled: true },
    });
    expect(status).toBe('error');
    expect(statuses).toEqual({ start: 'success', stop: 'error' });
    expect(events.some(({ type }) => type === 'node_retried')).toBe(false);
  });

  it('§4.1 rule 6: carry the HTTP status that a Throw Error node sets', async () => {
    const { finished } = await run('start -> stop', {
      stop: { type: 'throw', message: 'Halt', status: 418 },
    });
    expect(finished).toMatchObject({ status: 'error', outputs: { error: 'Halt' }, http_status: 418 });
  });

  it('that node code throws keep their kind; unknown errors tell nothing but that', async () => {
    const crashes: unknown[] = [];
    const thrown = await run(
      'start',
      {},
      {
        host: {
          runNode: () => {
            throw new NodeFailure({ kind: 'credential', message: 'No key' });
          },
        },
      },
    );
    expect(thrown.finished.failure).toEqual({ kind: 'credential', message: 'No key' });
    const secret = new Error('password is 1234');
    for (const runNode of [
      () => Promise.reject(secret),
      () => {
        throw secret;
      },
    ]) {
      const crashed = await run('start', {}, { host: { runNode, crashed: (error) => crashes.push(error) } });
      expect(crashed.outputs).toEqual({ error: 'start failed because of an internal error' });
    }
    expect(crashes).toEqual([secret, secret]);
  });

  it('name the field whose stored value is wrong', async () => {
    const { finished } = await run('start -> bad', { bad: { fails_attempts: 'many' } });
    expect(finished.failure).toMatchObject({ kind: 'params', field: 'fails_attempts' });
    expect(finished.failure?.message).toContain('Failing attempts (fails_attempts)');
  });
});

describe('the error flow', () => {
  const graph = `
    start -> bad
    oops -> tell`;

  it('runs once after the first failure and sees it as $error', async () => {
    const { status, statuses, output, outputs } = await run(graph, {
      bad: { fails: 'broken' },
      oops: 'handler',
      tell: { value: '$oops.error.message' },
    });
    expect(status).toBe('error');
    expect(statuses).toEqual({ start: 'success', bad: 'error', oops: 'success', tell: 'success' });
    expect(output['oops']).toEqual({
      error: { node_id: 'bad', node_label: 'bad', node_type: 'step', message: 'broken' },
    });
    expect(output['tell']).toBe('broken');
    expect(outputs).toEqual({ error: 'broken' });
  });

  it('hands $error on to the nodes directly behind the handler by its output', async () => {
    const { output } = await run(graph, {
      bad: { fails: 'broken' },
      oops: 'handler',
      tell: { value: '$error.node_label' },
    });
    expect(output['tell']).toBe('bad');
  });

  it('decides the outputs when it has output nodes', async () => {
    const { status, outputs } = await run(graph, {
      bad: { fails: 'broken' },
      oops: 'handler',
      tell: { type: 'output', message: 'Sorry: $oops.error.message' },
    });
    expect(status).toBe('error');
    expect(outputs).toEqual({ tell: { result: 'Sorry: broken' } });
  });

  it('leaves no trace in a run without failure', async () => {
    const { status, statuses } = await run(graph, { bad: {}, oops: 'handler' });
    expect(status).toBe('success');
    expect(statuses).toEqual({ start: 'success', bad: 'success' });
  });

  it('continues past a failure of one of its own nodes', async () => {
    const { statuses, outputs } = await run(`${graph}\n tell -> never\n oops -> other`, {
      bad: { fails: 'broken' },
      oops: 'handler',
      tell: { fails: 'also broken' },
    });
    expect(statuses).toEqual({
      start: 'success',
      bad: 'error',
      oops: 'success',
      tell: 'error',
      never: 'skipped',
      other: 'success',
    });
    expect(outputs).toEqual({ error: 'broken' });
  });

  it('continues past a failure of one of its own loops', async () => {
    const { statuses } = await run(
      'start -> bad\noops -> each\neach:loop -> b -> each@loop\neach:done -> d',
      {
        bad: { fails: 'broken' },
        oops: 'handler',
        each: { type: 'loop', items: 'no list' },
      },
    );
    expect(statuses).toMatchObject({ each: 'error', b: 'skipped', d: 'skipped' });
  });

  it('does not run for a failure that an error handle took over', async () => {
    const { statuses } = await run(graph, { bad: { fails: 'x', onErrorEnabled: true }, oops: 'handler' });
    expect(statuses).toEqual({ start: 'success', bad: 'success' });
  });

  it('keeps nodes that the main flow leads to as well for itself', async () => {
    const { statuses } = await run(`${graph}\n start -> tell`, { oops: 'handler' });
    expect(statuses).toEqual({ start: 'success', bad: 'success' });
  });

  it('may set the HTTP status', async () => {
    const { finished } = await run('start -> bad\noops -> stop', {
      bad: { fails: 'broken' },
      oops: 'handler',
      stop: { type: 'throw', status: 503 },
    });
    expect(finished).toMatchObject({ http_status: 503, outputs: { error: 'broken' } });
  });
});

describe('retries', () => {
  const flaky = { fails: 'flaky', retryEnabled: true, retryMaxAttempts: 3, retryWaitSeconds: 2 };

  it('repeat a failed node until it succeeds', async () => {
    const waits: number[] = [];
    const { status, events, rows } = await run(
      'start -> a',
      { a: { ...flaky, fails_attempts: 2, value: 'ok' } },
      { host: { sleep: async (ms) => (waits.push(ms), 'done') } },
    );
    expect(status).toBe('success');
    expect(waits).toEqual([2000, 2000]);
    expect(events.map(({ type }) => type)).toEqual([
      'run_started',
      'node_started',
      'node_finished',
      'node_started',
      'node_retried',
      'node_started',
      'node_retried',
      'node_started',
      'node_finished',
      'run_finished',
    ]);
    expect(rows.at(-1)).toMatchObject({ node_id: 'a', attempt: 3, output: 'ok' });
  });

  it('count all attempts, the first one included', async () => {
    const { status, events } = await run('start -> a', { a: flaky });
    expect(status).toBe('error');
    expect(events.filter(({ type }) => type === 'node_retried')).toMatchObject([
      { attempt: 1, max_attempts: 3, wait_ms: 2000 },
      { attempt: 2, max_attempts: 3 },
    ]);
  });

  it('are not made for failures that are final', async () => {
    const { events } = await run('start -> a', { a: { ...flaky, final: true } });
    expect(events.some(({ type }) => type === 'node_retried')).toBe(false);
  });

  it.each(['cancelled', 'limit', 'outcome_unknown'] as const)(
    'are not made for failures of kind %s',
    async (kind) => {
      const runNode = ({ node }: NodeTask): NodeResult =>
        node.id === 'a' ? { failure: { kind, message: 'no' } } : { output: {} };
      const { events } = await run('start -> a', { a: flaky }, { host: { runNode } });
      expect(events.some(({ type }) => type === 'node_retried')).toBe(false);
    },
  );

  it('end with the failure when the wait is cut short', async () => {
    const { status, outputs } = await run(
      'start -> a',
      { a: flaky },
      { host: { sleep: () => Promise.resolve('cancelled') } },
    );
    expect([status, outputs]).toEqual(['error', { error: 'The run was cancelled' }]);
    const rejected = await run(
      'start -> a',
      { a: flaky },
      { host: { sleep: () => Promise.reject(new Error('x')) } },
    );
    expect(rejected.outputs).toEqual({ error: 'The run was cancelled' });
  });

  it('are given up when another node has ended the run', async () => {
    const { rows } = await run('start -> a\nstart -> b', { a: flaky, b: { fails: 'for good' } });
    expect(rows.find(({ node_id }) => node_id === 'a')).toMatchObject({ status: 'error', attempt: 2 });
  });

  it.each([
    [{ retryMaxAttempts: 99 }, 9],
    [{ retryMaxAttempts: 0 }, 0],
    [{ retryMaxAttempts: '2' }, 1],
    [{ retryMaxAttempts: 'x' }, 2],
  ] satisfies [JsonObject, number][])('with settings %j are made %i times', async (settings, retries) => {
    const { retryMaxAttempts: _, ...usual } = flaky;
    const { events } = await run('start -> a', { a: { ...usual, ...settings } });
    expect(events.filter(({ type }) => type === 'node_retried')).toHaveLength(retries);
  });
});
