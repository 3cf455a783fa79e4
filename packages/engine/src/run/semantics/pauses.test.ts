import { describe, expect, it } from 'vitest';
import {
  drain,
  draw,
  runTestNode,
  runToEnd,
  testCatalog,
  testHost,
  testOptions,
} from '../../testing/index.ts';
import { compileWorkflow } from '../../workflow/compile.ts';
import { drive, type RunHost } from '../drive.ts';
import { RunMachine } from '../machine.ts';
import type { NodeFinished, NodeSuspended, RunEvent } from '../record/events.ts';
import { historyRows, type RunFact } from '../record/history.ts';

const graph = `
  start -> ask -> after
  start -> beside -> far
  ask:hitl -> tell`;
const pausing = { ask: { pauses: true } };
const workflow = compileWorkflow(draw(graph, pausing), testCatalog);
const ANSWER = { output: { decision: 'accepted' } };

const isFinished = (event: RunEvent): event is NodeFinished => event.type === 'node_finished';
const isPause = (event: RunEvent): event is NodeSuspended => event.type === 'node_suspended';

/**
 * The state that a process finds when it resumes a run: every row and pause so far. `decided` nodes give their answer
 * now.
 */
function resuming(events: readonly RunEvent[], decided: readonly string[] = ['ask']): Partial<RunHost> {
  const rows = events.filter(isFinished);
  const pauses = events.filter(isPause);
  return {
    recorded: (id, iteration) => rows.find((row) => row.node_id === id && row.iteration === iteration),
    paused: (id, iteration) => {
      const pause = pauses.find((row) => row.node_id === id && row.iteration === iteration);
      return pause && { payload: pause.suspension.payload, started_at_ms: pause.started_at_ms };
    },
    runNode: (task) => (decided.includes(task.node.id) ? ANSWER : runTestNode(task)),
  };
}

const again = (from: typeof workflow, host: Partial<RunHost>) =>
  drain(new RunMachine(from, testOptions({ last_sequence: 90 })), testHost(host));

describe('pauses', () => {
  it('let everything else continue, then end the run as pending with the payload', async () => {
    const { status, outputs, statuses, events } = await runToEnd(workflow);
    expect(status).toBe('pending');
    expect(outputs).toEqual({ ask: { asks: 'ask' } });
    expect(statuses).toEqual({ start: 'success', beside: 'success', far: 'success', tell: 'success' });
    expect(events.filter(isPause)).toMatchObject([{ node_id: 'ask' }]);
  });

  it('continue from recorded rows when the node has its decision, on any process', async () => {
    const paused = await runToEnd(workflow);
    const { status, statuses, outputs } = await again(workflow, resuming(paused.events));
    expect(status).toBe('success');
    // The handle of the pause was decided then, so what is behind it does not run again.
    expect(statuses).toEqual({ ask: 'success', after: 'success' });
    expect(outputs).toEqual({
      after: { ask: ANSWER.output },
      far: { beside: { start: {} } },
      tell: { ask: { asks: 'ask' } },
    });
  });

  it('stay pending when the node runs again without a decision', async () => {
    const paused = await runToEnd(workflow);
    const { status, outputs } = await again(workflow, resuming(paused.events, []));
    expect([status, outputs]).toEqual(['pending', { ask: { asks: 'ask' } }]);
  });

  it('show what is behind their handle the first wait, even when that runs after the decision', async () => {
    const paused = await runToEnd(workflow);
    // As after a crash between the pause and the first step behind its handle.
    const without = paused.events.filter((event) => !(isFinished(event) && event.node_id === 'tell'));
    const { output } = await again(workflow, resuming(without));
    expect(output['tell']).toEqual({ ask: { asks: 'ask' } });
    expect(output['after']).toEqual({ ask: ANSWER.output });
  });

  it('name their handle among the live ones of the row, so that one row is enough for the next process', async () => {
    const paused = await runToEnd(workflow);
    const resumed = await again(workflow, resuming(paused.events));
    const row = resumed.rows.find(({ node_id }) => node_id === 'ask');
    expect(row?.ports).toEqual(['hitl', 'output']);
    const kept = [...paused.events, ...resumed.events].filter(
      (event) => isFinished(event) && event.node_id === 'ask',
    );
    const third = await again(workflow, resuming([...kept, ...paused.events.filter(isPause)]));
    expect(third.output['tell']).toEqual({ ask: { asks: 'ask' } });
  });

  it('end in the process where they began when the decision comes while the run is still there', async () => {
    const machine = new RunMachine(workflow, testOptions());
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let calls = 0;
    const host = testHost({
      runNode: (task) => {
        if (task.node.id === 'far') return held.then(() => runTestNode(task));
        return task.node.id === 'ask' && ++calls > 1 ? ANSWER : runTestNode(task);
      },
    });
    const events: RunEvent[] = [];
    for (const step of drive(machine, host)) {
      if (step.type !== 'wait') {
        events.push(step);
        continue;
      }
      if (machine.resume('ask', '')) continue;
      release();
      await step.until;
    }
    expect(machine.resume('ask', '')).toBe(false);
    expect(events.at(-1)).toMatchObject({ type: 'run_finished', status: 'success' });
    expect(calls).toBe(2);
  });

  it('give way to a failure elsewhere, and are told to be over', async () => {
    const document = draw('start -> ask\nstart -> bad', { ask: { pauses: true }, bad: { fails: 'broken' } });
    const { status, outputs, statuses } = await runToEnd(compileWorkflow(document, testCatalog));
    expect([status, outputs]).toEqual(['error', { error: 'broken' }]);
    expect(statuses).toMatchObject({ ask: 'error', bad: 'error' });
  });

  it('stop the rounds of a loop until the decision comes', async () => {
    const document = draw('start -> each\neach:loop -> ask -> each@loop\neach:done -> out', {
      each: { type: 'loop', items: '$start.list' },
      ask: { pauses: true },
    });
    const looping = compileWorkflow(document, testCatalog);
    const options = testOptions({ input: { list: [1, 2] } });
    let events: RunEvent[] = [];
    const decided = new Set<string>();
    for (const [round, status] of [
      ['', 'pending'],
      ['0', 'pending'],
      ['1', 'success'],
    ] as const) {
      decided.add(round);
      const host = resuming(events);
      const run = await drain(
        new RunMachine(looping, { ...options, last_sequence: events.length * 2 }),
        testHost({
          ...host,
          runNode: (task) =>
            task.node.id === 'ask' && decided.has(task.iteration)
              ? { output: task.iteration }
              : runTestNode(task),
        }),
      );
      expect(run.status).toBe(status);
      events = [...events, ...run.events];
      if (status === 'success') expect(run.output['each']).toMatchObject({ results: ['0', '1'] });
    }
  });

  it('keep a pending row in the history until the node has its result', async () => {
    const paused = await runToEnd(workflow);
    const facts = (events: readonly RunEvent[]) =>
      events.filter((event): event is RunFact => isFinished(event) || isPause(event));
    const first = historyRows(facts(paused.events));
    expect(first.filter(({ status }) => status === 'pending')).toMatchObject([
      { node_id: 'ask', output: { asks: 'ask' }, metadata: { waits_for: 'review' } },
    ]);
    const end = await again(workflow, resuming(paused.events));
    const rows = historyRows([...facts(end.events), ...facts(paused.events)]);
    expect(rows.map(({ node_id, status }) => `${node_id} ${status}`)).toEqual([
      'start success',
      'beside success',
      'tell success',
      'far success',
      'ask success',
      'after success',
    ]);
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
    const end = await again(failing, resuming(paused.events));
    expect([end.status, end.outputs]).toEqual(['error', { error: 'broken' }]);
  });
});
