import type { NodeResult } from '@millrace/contracts';
import { describe, expect, it } from 'vitest';
import { failedNode, inRunOrder, nodeAfter, ranOrder } from './run-order.ts';

const result = (
  node_id: string,
  metadata: NodeResult['metadata'] = {},
  status: NodeResult['status'] = 'success',
): NodeResult => ({
  node_id,
  node_label: node_id,
  node_type: 'set',
  status,
  output: null,
  execution_time_ms: 1,
  error: null,
  metadata,
});

describe('ranOrder', () => {
  it('goes by when nodes began, not by when they ended', () => {
    const ended = [
      result('quick', { started_at_ms: 5, sequence: 1 }),
      result('slow', { started_at_ms: 2, sequence: 2 }),
      result('start', { started_at_ms: 1, sequence: 3 }),
    ];
    expect(ranOrder(ended)).toEqual(['start', 'slow', 'quick']);
  });

  it('names a node of a loop once, at its first round, and none that was skipped', () => {
    const rounds = [
      result('loop', { started_at_ms: 1 }),
      result('body', { started_at_ms: 2, iteration: '0' }),
      result('other', { started_at_ms: 3 }, 'skipped'),
      result('body', { started_at_ms: 4, iteration: '1' }),
      result('end', { started_at_ms: 5 }),
    ];
    expect(ranOrder(rounds)).toEqual(['loop', 'body', 'end']);
  });

  it('goes by the recorded order within a millisecond', () => {
    const at = { started_at_ms: 7 };
    expect(ranOrder([result('b', { ...at, sequence: 2 }), result('a', { ...at, sequence: 1 })])).toEqual([
      'a',
      'b',
    ]);
  });
});

describe('inRunOrder', () => {
  const order = (results: NodeResult[]) =>
    inRunOrder(results).map(({ result, index }) => `${index} ${result.node_id}`);

  it('goes by when results began, and says where history has them', () => {
    const results = [
      result('quick', { started_at_ms: 5, sequence: 1 }),
      result('start', { started_at_ms: 1, sequence: 2 }),
    ];
    expect(order(results)).toEqual(['1 start', '0 quick']);
  });

  it('has the end of a loop behind its rounds', () => {
    const results = [
      result('loop', { started_at_ms: 1, ended_at_ms: 1, iteration: '0', sequence: 1 }),
      result('body', { started_at_ms: 1, ended_at_ms: 4, iteration: '0', sequence: 2 }),
      result('loop', { started_at_ms: 4, ended_at_ms: 4, iteration: '1', sequence: 3 }),
      result('body', { started_at_ms: 4, ended_at_ms: 6, iteration: '1', sequence: 4 }),
      result('loop', { started_at_ms: 1, ended_at_ms: 6, sequence: 5 }),
    ];
    expect(order(results)).toEqual(['0 loop', '1 body', '2 loop', '3 body', '4 loop']);
  });
});

describe('nodeAfter', () => {
  const order = ['a', 'b', 'c'];
  it.each([
    ['a', 1, 'b'],
    ['c', 1, undefined],
    ['a', -1, undefined],
    ['c', -1, 'b'],
    [undefined, 1, 'a'],
    [undefined, -1, 'c'],
    ['a node that did not run', 1, 'a'],
  ] as const)('from %s by %i: %s', (id, step, expected) => {
    expect(nodeAfter(order, id, step)).toBe(expected);
  });

  it('leads nowhere in a run without nodes', () => {
    expect(nodeAfter([], undefined, 1)).toBeUndefined();
  });
});

describe('failedNode', () => {
  it('is the last one that failed', () => {
    const results = [result('a', {}, 'error'), result('b', {}, 'error'), result('c')];
    expect(failedNode(results)).toBe('b');
    expect(failedNode([result('a')])).toBeUndefined();
  });
});

it('finds the failed node, not one that was stopped with the run', () => {
  const ended = [result('broken', {}, 'error'), result('waiting', { cancelled: true }, 'error')];
  expect(failedNode(ended)).toBe('broken');
});
