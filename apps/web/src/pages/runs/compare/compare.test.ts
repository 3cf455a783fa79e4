import type { NodeResult } from '@millrace/contracts';
import { describe, expect, it } from 'vitest';
import { compareRuns } from './compare.ts';

const result = (node_id: string, output: unknown, status: NodeResult['status'] = 'success'): NodeResult => ({
  node_id,
  node_label: node_id,
  node_type: 'set',
  status,
  output,
  execution_time_ms: 1,
  error: status === 'error' ? 'failed' : null,
  metadata: {},
});

describe('compareRuns', () => {
  it('tells equal nodes from different ones', () => {
    const rows = compareRuns(
      [result('a', { x: 1 }), result('b', 1)],
      [result('a', { x: 1 }), result('b', 2)],
    );
    expect(rows.map((row) => [row.key, row.same])).toEqual([
      ['a#1', true],
      ['b#1', false],
    ]);
  });

  it('pairs the rounds of a loop by their number', () => {
    const rows = compareRuns([result('a', 1), result('a', 2)], [result('a', 1), result('a', 3)]);
    expect(rows.map((row) => row.same)).toEqual([true, false]);
  });

  it('shows nodes that only one run reached', () => {
    const rows = compareRuns([result('a', 1)], [result('a', 1), result('b', 1)]);
    expect(rows[1]).toMatchObject({ key: 'b#1', left: undefined, same: false });
  });

  it('counts another status as a difference though the outputs agree', () => {
    expect(compareRuns([result('a', {})], [result('a', {}, 'error')])[0]?.same).toBe(false);
  });

  it.each([
    ['Date', true],
    ['x-request-id', true],
    ['X-Amzn-RequestId', true],
    ['x-b3-traceid', true],
    ['traceparent', true],
    ['x-ratelimit-remaining', true],
    ['idempotency-key', true],
    ['content-type', false],
    ['location', false],
    ['x-date-of-birth', false],
    ['invalid', false],
  ])('header %s left out: %s', (name, leftOut) => {
    const [row] = compareRuns(
      [result('a', { headers: { [name]: '1' } })],
      [result('a', { headers: { [name]: '2' } })],
    );
    expect(row).toMatchObject({ same: leftOut, noise: leftOut ? 1 : 0 });
  });

  it('leaves nothing out beside the headers', () => {
    const rows = compareRuns(
      [result('a', { date: 1, headers: {} })],
      [result('a', { date: 2, headers: {} })],
    );
    expect(rows[0]).toMatchObject({ same: false, noise: 0, changes: [{ path: ['date'] }] });
  });
});
