import { describe, expect, it } from 'vitest';
import {
  type DrawnNodes,
  draw,
  type RunSettings,
  runToEnd,
  summary,
  testCatalog,
  testHost,
  testOptions,
} from '../../testing/index.ts';
import { compileWorkflow } from '../../workflow/compile.ts';
import { drive } from '../drive.ts';
import { RunMachine } from '../machine.ts';
import type { RunEvent } from '../record/events.ts';
import { historyRows, type NodeResultRow, type RunFact } from '../record/history.ts';

async function run(graph: string, nodes: DrawnNodes = {}, settings: RunSettings = {}) {
  return runToEnd(compileWorkflow(draw(graph, nodes), testCatalog), settings);
}

const mapper = { type: 'json', mappings: [{ key: 'answer', value: '$start.n' }] };

describe('outputs', () => {
  it('§2.3: are the outputs of terminal nodes by label', async () => {
    const { outputs, finished } = await run(
      'start -> out\nstart -> leaf',
      {
        out: { type: 'output', message: '$start.n' },
        leaf: { value: 'l' },
      },
      { input: { n: 1 } },
    );
    expect(outputs).toEqual({ out: { result: 1 }, leaf: 'l' });
    expect(finished.shape).toBe('labels');
  });

  it('§2.3: are the object of a JSON mapper that is the only terminal', async () => {
    const { outputs, finished } = await run('start -> map', { map: mapper }, { input: { n: 42 } });
    expect([outputs, finished.shape]).toEqual([{ answer: 42 }, 'json']);
  });

  it('count only terminals that ran', async () => {
    const { outputs } = await run(
      'start -> if\nif:true -> map\nif:false -> other',
      {
        if: { type: 'condition', condition: 'true' },
        map: mapper,
        other: { ...mapper, mappings: [] },
        hint: 'note',
      },
      { input: { n: 1 } },
    );
    expect(outputs).toEqual({ answer: 1 });
  });

  it('keep labels when a mapper is not alone', async () => {
    const { outputs, finished } = await run(
      'start -> map\nstart -> leaf',
      { map: mapper, leaf: { value: 1 } },
      { input: { n: 1 } },
    );
    expect([outputs, finished.shape]).toEqual([{ map: { answer: 1 }, leaf: 1 }, 'labels']);
  });

  it('say that an HTML mapper is the page', async () => {
    const { outputs, finished } = await run(
      'start -> page',
      { page: { type: 'html', html: '<b>$start.n</b>' } },
      { input: { n: 1 } },
    );
    expect(finished.shape).toBe('html');
    expect(outputs).toMatchObject({ page: { html: '<b>1</b>', statusCode: 200 } });
  });

  it('of a mapper that failed into its error handle are no page and no response body', async () => {
    for (const type of ['json', 'html']) {
      const { finished } = await run(
        'start -> map',
        { map: { type, mappings: 'x', html: 1, onErrorEnabled: true } },
        {
          host: {
            runNode: ({ node }) =>
              node.id === 'map' ? { failure: { kind: 'internal', message: 'no' } } : { output: {} },
          },
        },
      );
      expect(finished).toMatchObject({ shape: 'labels', outputs: { map: { error: 'no' } } });
    }
  });

  it('of equal labels overwrite each other in topological order', async () => {
    const { outputs } = await run('start -> a\nstart -> b', {
      a: { label: 'x', value: 1 },
      b: { label: 'x', value: 2 },
    });
    expect(outputs).toEqual({ x: 2 });
  });

  it('of a workflow with one node are those of its trigger', async () => {
    const { outputs } = await run('start', {}, { input: { body: 1 } });
    expect(outputs).toEqual({ start: { body: 1 } });
  });

  it('of an empty workflow are empty', async () => {
    const { status, outputs } = await run('', {});
    expect([status, outputs]).toEqual(['success', {}]);
  });
});

describe('early answers', () => {
  it('§6.1: are told once, when the first such output is reached', async () => {
    const { events } = await run(
      'start -> first -> second',
      {
        first: { type: 'output', allowDownstream: true, message: '$start.n' },
        second: { type: 'output', allowDownstream: true },
      },
      { input: { n: 5 } },
    );
    const early = events.filter(({ type }) => type === 'output_emitted');
    expect(early).toEqual([
      {
        type: 'output_emitted',
        node_id: 'first',
        node_label: 'first',
        node_type: 'output',
        iteration: '',
        output: { result: 5 },
        execution_time_ms: 0,
      },
    ]);
    expect(events.indexOf(early[0] as RunEvent)).toBeLessThan(
      events.findIndex((event) => event.type === 'node_started' && event.node_id === 'second'),
    );
  });

  it('are not told again when the node is recorded', async () => {
    const graph = 'start -> first -> second';
    const nodes = {
      first: { type: 'output', allowDownstream: true },
      second: { type: 'output', allowDownstream: true },
    };
    const whole = await run(graph, nodes);
    const { events } = await run(graph, nodes, {
      host: { recorded: (id) => whole.rows.find(({ node_id }) => node_id === id && id !== 'second') },
    });
    expect(events.some(({ type }) => type === 'output_emitted')).toBe(false);
  });
});

describe('limits', () => {
  const endless = {
    each: { type: 'loop', items: '$start.list' },
  };

  it('end a run that starts too many nodes, and name the limit', async () => {
    const { status, finished } = await run(
      'start -> a -> b -> c',
      {},
      { options: { max_node_executions: 3 } },
    );
    expect(status).toBe('error');
    expect(finished.failure).toMatchObject({ kind: 'limit' });
    expect(finished.failure?.message).toContain('more than 3 nodes');
    expect(finished.failed_node?.node_id).toBe('c');
  });

  it('count loop rounds and cannot be caught by an error handle', async () => {
    const nodes = { ...endless, work: { onErrorEnabled: true } };
    const { status, finished } = await run('start -> each\neach:loop -> work -> each@loop', nodes, {
      input: { list: Array.from({ length: 50 }, () => 1) },
      options: { max_node_executions: 21 },
    });
    expect([status, finished.failure?.kind]).toEqual(['error', 'limit']);
  });

  it('count rounds without any node too', async () => {
    const { finished, statuses } = await run('start -> each\neach:loop -> each@loop', endless, {
      input: { list: Array.from({ length: 50 }, () => 1) },
      options: { max_node_executions: 10 },
    });
    expect(finished.failure?.kind).toBe('limit');
    expect(statuses['each']).toBe('error');
  });

  it('leave the error flow an allowance of its own', async () => {
    const { statuses } = await run(
      'start -> a -> b\noops -> tell',
      { oops: 'handler' },
      { options: { max_node_executions: 2 } },
    );
    expect(statuses).toMatchObject({ b: 'error', oops: 'success', tell: 'success' });
  });

  it('hold in a loop of the error flow as well', async () => {
    const nodes = { bad: { fails: 'x' }, oops: 'handler', each: { type: 'loop', items: '$range(0, 50)' } };
    const graph = 'start -> bad\noops -> each\neach:loop -> work -> each@loop\neach:done -> out';
    const { status, statuses } = await run(graph, nodes, { options: { max_node_executions: 12 } });
    expect(status).toBe('error');
    expect(statuses).toMatchObject({ each: 'error', out: 'skipped' });
  });
});

describe('cancellation', () => {
  it('ends the run at once and records what was running', async () => {
    let cancelled = false;
    const workflow = compileWorkflow(draw('start -> slow -> next'), testCatalog);
    const machine = new RunMachine(workflow, testOptions());
    let arrive: () => void = () => {};
    const host = testHost({
      cancelled: () => cancelled,
      runNode: ({ node }) =>
        node.id === 'slow'
          ? new Promise((resolve) => (arrive = () => resolve({ output: 'late' })))
          : { output: {} },
    });
    const events: RunEvent[] = [];
    for (const step of drive(machine, host)) {
      if (step.type === 'wait') cancelled = true;
      else events.push(step);
    }
    arrive();
    const ended = summary(machine, events);
    expect(ended.status).toBe('cancelled');
    expect(ended.rows.at(-1)).toMatchObject({
      node_id: 'slow',
      status: 'error',
      failure: { kind: 'cancelled' },
    });
    expect(ended.statuses['next']).toBeUndefined();
  });

  it('for another reason, such as a timeout, ends the run as error without an error flow', async () => {
    const timeout = { kind: 'timeout', message: 'The run took longer than 5 s' } as const;
    let asked = 0;
    const { status, outputs, statuses } = await run(
      'start -> a\noops -> tell',
      { oops: 'handler' },
      {
        host: { cancelled: () => (++asked > 4 ? timeout : false) },
      },
    );
    expect([status, outputs]).toEqual(['error', { error: timeout.message }]);
    expect(statuses['oops']).toBeUndefined();
  });
});

const toRows = (events: readonly RunEvent[]): NodeResultRow[] =>
  historyRows(
    events.filter(
      (event): event is RunFact =>
        event.type === 'node_finished' || event.type === 'node_retried' || event.type === 'node_suspended',
    ),
  );

describe('history rows', () => {
  it('hold a line for each failed attempt', async () => {
    const { events } = await run('start -> a', {
      a: { fails: 'flaky', fails_attempts: 1, retryEnabled: true },
    });
    const rows = toRows(events);
    expect(rows.map(({ node_id, status }) => `${node_id} ${status}`)).toEqual([
      'start success',
      'a error',
      'a success',
    ]);
    expect(rows[1]).toMatchObject({
      error: 'flaky',
      output: { error: 'flaky', retry_attempt: 1, retry_max_attempts: 3, retry_wait_seconds: 5 },
      metadata: { sequence: 2, retry_stage: 'attempt_failed', retry_attempt: 1 },
    });
    expect(rows[2]?.metadata).toMatchObject({ sequence: 3 });
  });

  it('name the field that a failure is about, also of failed attempts', async () => {
    const { events } = await run(
      'start -> a',
      { a: { retryEnabled: true } },
      {
        host: {
          runNode: ({ node, attempt }) =>
            node.id === 'a'
              ? { failure: { kind: 'params', field: 'url', message: 'no', final: attempt > 1 } }
              : { output: {} },
        },
      },
    );
    expect(toRows(events).map(({ metadata }) => metadata['field'])).toEqual([undefined, 'url', 'url']);
  });

  it('name the round inside loops, also of failed attempts', async () => {
    const { events } = await run(
      'start -> each\neach:loop -> a -> each@loop',
      {
        each: { type: 'loop', items: '$start.list' },
        a: { fails: 'flaky', fails_attempts: 1, retryEnabled: true },
      },
      { input: { list: [1] } },
    );
    const rounds = toRows(events).map(({ node_id, metadata }) => [node_id, metadata['iteration']]);
    expect(rounds).toEqual([
      ['start', undefined],
      ['each', '0'],
      ['a', '0'],
      ['a', '0'],
      ['each', undefined],
    ]);
  });

  it('of a pause name its round and due time', async () => {
    const { events } = await run(
      'start -> each\neach:loop -> a -> each@loop',
      { each: { type: 'loop', items: '$start.list' } },
      {
        input: { list: [1] },
        host: {
          runNode: ({ node }) =>
            node.id === 'a'
              ? { suspension: { key: 'until', kind: 'timer', due_at: 99, payload: {} } }
              : { output: node.id === 'each' ? { items: [1] } : {} },
        },
      },
    );
    expect(toRows(events).at(-1)).toMatchObject({
      status: 'pending',
      metadata: { iteration: '0', due_at_ms: 99 },
    });
  });

  it('are in order of their sequence, for facts in any order', async () => {
    const { events } = await run('start -> a -> b');
    const rows = toRows(events.toReversed());
    expect(rows.map(({ node_id }) => node_id)).toEqual(['start', 'a', 'b']);
  });
});

describe('large graphs', () => {
  it('a chain of 5,000 nodes runs without recursion', async () => {
    const names = Array.from({ length: 4999 }, (_, index) => `n${index}`);
    const flat = Object.fromEntries(names.map((name) => [name, { type: 'condition', condition: 'true' }]));
    const { rows } = await run(`start -> ${names.join(':true -> ')}`, flat);
    expect(rows.filter(({ status }) => status === 'success')).toHaveLength(5000);
  });

  it('a chain of 5,000 nodes is skipped without recursion', async () => {
    const chain = Array.from({ length: 5000 }, (_, index) => `n${index}`).join(' -> ');
    const { rows } = await run(`start -> if\nif:true -> ${chain}`, {
      if: { type: 'condition', condition: 'false' },
    });
    expect(rows.filter(({ status }) => status === 'skipped')).toHaveLength(5000);
  });

  it('5,000 branches join', async () => {
    const wide = Array.from({ length: 5000 }, (_, index) => `start -> n${index} -> end`).join('\n');
    const { status, rows } = await run(wide, {}, { options: { max_node_executions: 10_000 } });
    expect([status, rows.length]).toEqual(['success', 5002]);
  });

  it('loops nest 200 deep', async () => {
    const lines: string[] = ['start -> l0'];
    const nodes: DrawnNodes = {};
    for (let depth = 0; depth < 200; depth++) {
      nodes[`l${depth}`] = { type: 'loop', items: '$start.list' };
      const inner = depth === 199 ? 'work' : `l${depth + 1}`;
      lines.push(`l${depth}:loop -> ${inner}`, `${inner}${depth === 199 ? '' : ':done'} -> l${depth}@loop`);
    }
    const { status, statuses } = await run(lines.join('\n'), nodes, { input: { list: [1] } });
    expect(status).toBe('success');
    expect(statuses[`work@${Array.from({ length: 200 }, () => '0').join('.')}`]).toBe('success');
  });
});
