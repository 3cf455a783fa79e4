import { describe, expect, it } from 'vitest';
import { drain, draw, runToEnd, testCatalog, testHost, testOptions } from '../../testing/index.ts';
import { compileWorkflow } from '../../workflow/graph.ts';
import type { RecordedResult } from '../events.ts';
import { foldRun } from '../fold.ts';
import { RunMachine } from '../machine.ts';
import type { RunSnapshot } from '../state/snapshot.ts';

const graph = `
  start -> ask -> after
  start -> beside -> far
  ask:hitl -> tell`;
const workflow = compileWorkflow(draw(graph, { ask: { pauses: true, pause_ports: ['hitl'] } }), testCatalog);

const answer: RecordedResult = {
  status: 'success',
  output: { decision: 'accepted' },
  ports: ['output'],
  sequence: 90,
  attempt: 1,
  started_at_ms: 0,
  ended_at_ms: 0,
};

function throughJson(snapshot: RunSnapshot): RunSnapshot {
  return JSON.parse(JSON.stringify(snapshot)) as RunSnapshot;
}

describe('pauses', () => {
  it('let everything else go on, then end the run as pending with the payload', async () => {
    const { status, outputs, statuses, events } = await runToEnd(workflow);
    expect(status).toBe('pending');
    expect(outputs).toEqual({ ask: { asks: 'ask' } });
    expect(statuses).toEqual({ start: 'success', beside: 'success', far: 'success', tell: 'success' });
    expect(events.filter(({ type }) => type === 'node_suspended')).toMatchObject([{ node_id: 'ask' }]);
  });

  it('go on from a snapshot when the result has come', async () => {
    const paused = await runToEnd(workflow);
    const restored = RunMachine.restore(workflow, testOptions(), throughJson(paused.machine.snapshot()));
    const host = testHost({ recorded: (id) => (id === 'ask' ? answer : undefined) });
    const { status, statuses, outputs } = await drain(restored, host);
    expect(status).toBe('success');
    // The handle of the pause was decided then, so what is behind it does not run again.
    expect(statuses).toEqual({ after: 'success' });
    expect(outputs).toEqual({
      after: { ask: answer.output },
      far: { beside: { start: {} } },
      tell: { ask: { asks: 'ask' } },
    });
  });

  it('stay pending when a restored run has no result yet', async () => {
    const paused = await runToEnd(workflow);
    const restored = RunMachine.restore(workflow, testOptions(), throughJson(paused.machine.snapshot()));
    const { status, events } = await drain(restored, testHost());
    expect([status, events.length]).toEqual(['pending', 1]);
  });

  it('go on from recorded results alone', async () => {
    const paused = await runToEnd(workflow);
    const records = new Map<string, RecordedResult>(paused.rows.map((row) => [row.node_id, row]));
    records.set('ask', answer);
    const machine = new RunMachine(workflow, testOptions({ last_sequence: 90 }));
    const { status, statuses } = await drain(machine, testHost({ recorded: (id) => records.get(id) }));
    expect(status).toBe('success');
    expect(statuses).toEqual({ after: 'success' });
  });

  it('give way to a failure elsewhere', async () => {
    const document = draw('start -> ask\nstart -> bad', { ask: { pauses: true }, bad: { fails: 'broken' } });
    const { status, outputs } = await runToEnd(compileWorkflow(document, testCatalog));
    expect([status, outputs]).toEqual(['error', { error: 'broken' }]);
  });

  it('stop the rounds of a loop until the result comes', async () => {
    const document = draw('start -> each\neach:loop -> ask -> each@loop\neach:done -> out', {
      each: { type: 'loop', items: '$start.list' },
      ask: { pauses: true },
    });
    const looping = compileWorkflow(document, testCatalog);
    const options = testOptions({ input: { list: [1, 2] } });
    let machine = new RunMachine(looping, options);
    const answered = new Map<string, RecordedResult>();
    const host = testHost({ recorded: (id, iteration) => answered.get(`${id}@${iteration}`) });
    expect((await drain(machine, host)).status).toBe('pending');
    for (const [round, status] of [
      ['0', 'pending'],
      ['1', 'success'],
    ] as const) {
      answered.set(`ask@${round}`, { ...answer, output: round });
      machine = RunMachine.restore(looping, options, throughJson(machine.snapshot()));
      const run = await drain(machine, host);
      expect(run.status).toBe(status);
      if (status === 'success') expect(run.output['each']).toMatchObject({ results: ['0', '1'] });
    }
  });

  it('keep a pending row in the history until the node has its result', async () => {
    const paused = await runToEnd(workflow);
    const first = foldRun(paused.events);
    expect(first.rows.filter(({ status }) => status === 'pending')).toMatchObject([{ node_id: 'ask' }]);
    const restored = RunMachine.restore(
      workflow,
      testOptions({ last_sequence: 90 }),
      paused.machine.snapshot(),
    );
    const end = await drain(restored, testHost({ recorded: (id) => (id === 'ask' ? answer : undefined) }));
    const stored = {
      type: 'node_finished',
      node_id: 'ask',
      node_label: 'ask',
      node_type: 'step',
      iteration: '',
      execution_time_ms: 0,
      ...answer,
    } as const;
    const { rows, finished } = foldRun([stored, ...end.events], first.rows);
    expect(rows.map(({ node_id, status }) => `${node_id} ${status}`)).toEqual([
      'start success',
      'beside success',
      'tell success',
      'far success',
      'ask success',
      'after success',
    ]);
    expect(finished?.status).toBe('success');
  });

  it('refuse a snapshot of another version', async () => {
    const paused = await runToEnd(workflow);
    const other = compileWorkflow(draw('start -> ask'), testCatalog);
    expect(() => RunMachine.restore(other, testOptions(), paused.machine.snapshot())).toThrow(
      /another version/,
    );
  });

  it('in an error flow leave the run pending, and it fails when it has gone on', async () => {
    const document = draw('start -> bad\noops -> ask', {
      bad: { fails: 'broken' },
      oops: 'handler',
      ask: { pauses: true },
    });
    const failing = compileWorkflow(document, testCatalog);
    const paused = await runToEnd(failing);
    expect(paused.status).toBe('pending');
    const restored = RunMachine.restore(failing, testOptions(), throughJson(paused.machine.snapshot()));
    const end = await drain(restored, testHost({ recorded: (id) => (id === 'ask' ? answer : undefined) }));
    expect([end.status, end.outputs]).toEqual(['error', { error: 'broken' }]);
  });
});
