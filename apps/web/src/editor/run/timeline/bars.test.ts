import { describe, expect, it } from 'vitest';
import type { NodeRecord, NodeRun } from '../run-store.ts';
import { barsOf } from './bars.ts';

const record = (started_at_ms: number, execution_time_ms: number, status = 'success'): NodeRecord => ({
  status: status as NodeRecord['status'],
  output: null,
  error: null,
  started_at_ms,
  execution_time_ms,
});
const node = (records: NodeRecord[], open: Partial<NodeRun> = {}): NodeRun => ({
  status: 'success',
  attempt: 1,
  max_attempts: 1,
  started_at_ms: records.at(-1)?.started_at_ms,
  records,
  ...open,
});

describe('bars of the timeline', () => {
  it('counts every result from the first, and leaves out what was skipped', () => {
    const nodes = new Map([
      ['a', node([record(1_000, 100)])],
      ['b', node([record(1_100, 300)])],
      ['c', node([record(1_400, 0, 'skipped')])],
    ]);
    expect(barsOf(nodes)).toEqual({
      total_ms: 400,
      bars: [
        { node_id: 'a', status: 'success', start: 0, ms: 100 },
        { node_id: 'b', status: 'success', start: 100, ms: 300 },
      ],
    });
  });

  it('lets a node that still runs reach up to now', () => {
    const nodes = new Map([
      ['a', node([record(1_000, 100)])],
      ['b', node([], { status: 'running', started_at_ms: 1_100 })],
    ]);
    expect(barsOf(nodes, 1_500).bars.at(-1)).toMatchObject({
      node_id: 'b',
      status: 'running',
      start: 100,
      ms: 400,
    });
  });

  it('starts the next attempt of a node behind its last one', () => {
    const nodes = new Map([
      ['a', node([record(1_000, 200, 'error')], { status: 'retrying', started_at_ms: 1_000 })],
    ]);
    expect(barsOf(nodes, 1_600).bars.map(({ ms }) => ms)).toEqual([200, 400]);
  });

  it('has nothing to show before anything ran', () => {
    expect(barsOf(new Map())).toEqual({ bars: [], total_ms: 0 });
  });
});
