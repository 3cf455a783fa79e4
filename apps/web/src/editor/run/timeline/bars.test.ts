import { describe, expect, it } from 'vitest';
import type { NodeRecord, NodeRun } from '../../../features/run-view/run-store.ts';
import { buildBars } from './bars.ts';

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
    expect(buildBars(nodes)).toEqual({
      total_ms: 400,
      rows: [
        { node_id: 'a', bars: [{ status: 'success', start: 0, ms: 100 }] },
        { node_id: 'b', bars: [{ status: 'success', start: 100, ms: 300 }] },
      ],
    });
  });

  it('lets a node that still runs reach up to now', () => {
    const nodes = new Map([
      ['a', node([record(1_000, 100)])],
      ['b', node([], { status: 'running', started_at_ms: 1_100 })],
    ]);
    expect(buildBars(nodes, 1_500).rows.at(-1)).toEqual({
      node_id: 'b',
      bars: [{ status: 'running', start: 100, ms: 400 }],
    });
  });

  it('starts the next attempt of a node behind its last one', () => {
    const nodes = new Map([
      ['a', node([record(1_000, 200, 'error')], { status: 'retrying', started_at_ms: 1_000 })],
    ]);
    expect(buildBars(nodes, 1_600).rows).toMatchObject([{ node_id: 'a', bars: [{ ms: 200 }, { ms: 400 }] }]);
  });

  it('has one row for the rounds of a node, and rows in the order in which the nodes began', () => {
    const nodes = new Map([
      ['last', node([record(1_050, 10)])],
      ['body', node([record(1_040, 10), record(1_010, 10)])],
      ['first', node([record(1_000, 5)])],
    ]);
    expect(
      buildBars(nodes).rows.map(({ node_id, bars }) => [node_id, ...bars.map(({ start }) => start)]),
    ).toEqual([
      ['first', 0],
      ['body', 10, 40],
      ['last', 50],
    ]);
  });

  it('has nothing to show before anything ran', () => {
    expect(buildBars(new Map())).toEqual({ rows: [], total_ms: 0 });
  });
});
