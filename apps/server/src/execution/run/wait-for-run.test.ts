import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sampleWait } from '../journal/testing/samples.ts';
import type { Milestone, StoredRun } from '../model/run.ts';
import { createMemoryJournal } from '../testing/memory-journal.ts';
import { createLiveRuns, type LiveRun } from './live-runs.ts';
import { waitForRun } from './wait-for-run.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const begin: StoredRun['begin'] = {
  run_id: 'r',
  workflow_id: 'w',
  version_id: null,
  trigger_source: null,
  trigger_node_id: null,
  actor_id: null,
  parent_run_id: null,
  root_run_id: null,
  depth: 0,
  idempotency_key: null,
  options: {},
  input: null,
  started_at_ms: 0,
  deadline_at_ms: null,
};

const fact = (sequence: number, more = {}): StoredRun['records'][number] => ({
  type: 'node_finished',
  node_id: `n${sequence}`,
  node_label: `n${sequence}`,
  node_type: 'set',
  iteration: '',
  sequence,
  attempt: 1,
  started_at_ms: 0,
  ended_at_ms: 1,
  execution_time_ms: 1,
  ports: [],
  status: 'success',
  output: {},
  ...more,
});

/** A run that another process works on, with one fact. */
function elsewhere() {
  const memory = createMemoryJournal();
  memory.begin(begin);
  memory.record('r', fact(1));
  const live = createLiveRuns();
  const left = new AbortController();
  const loads = vi.fn(memory.load);
  const looks = vi.fn(memory.look);
  const journal = { ...memory, load: loads, look: looks };
  const end = () =>
    memory.finish(begin, {
      status: 'success',
      outputs: {},
      shape: 'labels',
      execution_time_ms: 1,
      ended_at_ms: 1,
      failed_node: null,
      unresolved_references: 0,
    });
  const here = { run_id: 'r', workflow_id: 'w', begin } as LiveRun;
  const wait = (until: Milestone, more: { known?: number; longest_ms?: number; run_id?: string } = {}) =>
    waitForRun({ journal, live }, more.run_id ?? 'r', { until, left: left.signal, ...more });
  return { memory, live, left, looks, loads, end, here, wait };
}
type World = ReturnType<typeof elsewhere>;

const ANSWER = fact(2, { node_type: 'output', answers_early: true });

interface Case {
  readonly until: Milestone;
  /** A second after the wait began. */
  readonly happens: (world: World) => void;
  readonly kind: string;
  /** How often the whole run is read. */
  readonly loads: number;
}

test.each<[string, Case]>([
  [
    'comes to this process',
    { until: 'finished', happens: ({ live, here }) => live.add(here), kind: 'here', loads: 0 },
  ],
  [
    'comes to this process before its answer',
    { until: 'answered', happens: ({ live, here }) => live.add(here), kind: 'here', loads: 0 },
  ],
  ['ends elsewhere', { until: 'finished', happens: ({ end }) => void end(), kind: 'stored', loads: 1 }],
  [
    'ends without an early answer',
    { until: 'answered', happens: ({ end }) => void end(), kind: 'stored', loads: 1 },
  ],
  [
    'pauses elsewhere',
    { until: 'finished', happens: ({ memory }) => void memory.suspend('r', []), kind: 'stored', loads: 1 },
  ],
  [
    'pauses for a time',
    {
      until: 'reviewed',
      happens: ({ memory }) => void memory.suspend('r', []),
      kind: 'running',
      loads: 0,
    },
  ],
  [
    'pauses for a review',
    {
      until: 'reviewed',
      happens: ({ memory }) => {
        void memory.wait('r', sampleWait());
        void memory.suspend('r', []);
      },
      kind: 'stored',
      loads: 1,
    },
  ],
  [
    'answers early',
    { until: 'answered', happens: ({ memory }) => memory.record('r', ANSWER), kind: 'stored', loads: 1 },
  ],
  [
    'answers early, which is not its end',
    { until: 'finished', happens: ({ memory }) => memory.record('r', ANSWER), kind: 'running', loads: 0 },
  ],
  [
    'moves on',
    { until: 'moved', happens: ({ memory }) => memory.record('r', fact(2)), kind: 'stored', loads: 1 },
  ],
  [
    'is deleted',
    {
      until: 'finished',
      happens: ({ memory }) => (memory.runs as Map<string, unknown>).delete('r'),
      kind: 'gone',
      loads: 0,
    },
  ],
  ['loses its client', { until: 'finished', happens: ({ left }) => left.abort(), kind: 'left', loads: 0 }],
  ['takes too long', { until: 'finished', happens: () => undefined, kind: 'running', loads: 0 }],
])('a run that %s', async (_, { until, happens, kind, loads }) => {
  const world = elsewhere();
  const settled = vi.fn();
  const awaited = world.wait(until, { longest_ms: 5_000, known: until === 'moved' ? 1 : 0 });
  void awaited.then(settled);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(settled).not.toHaveBeenCalled();
  happens(world);
  await vi.advanceTimersByTimeAsync(kind === 'running' ? 5_000 : 500);
  expect(settled).toHaveBeenCalled();
  expect(await awaited).toMatchObject({ kind });
  expect(world.loads).toHaveBeenCalledTimes(loads);
});

test('a run that was never there is gone at once, and one that is here already is not looked up', async () => {
  const { wait, live, here, looks } = elsewhere();
  expect(await wait('finished', { run_id: 'x' })).toEqual({ kind: 'gone' });
  live.add(here);
  expect(await wait('finished')).toEqual({ kind: 'here', run: here });
  expect(looks).toHaveBeenCalledTimes(1);
});

test('the answer that a run gave before it was resumed here is in the store', async () => {
  const { wait, live, here, memory } = elsewhere();
  memory.record('r', ANSWER);
  live.add(here);
  expect(await wait('answered')).toMatchObject({ kind: 'stored' });
});

test('a client that has left already is let go before anything is read', async () => {
  const { wait, left, looks, end } = elsewhere();
  await end();
  left.abort();
  expect(await wait('finished')).toEqual({ kind: 'left' });
  expect(looks).not.toHaveBeenCalled();
});
