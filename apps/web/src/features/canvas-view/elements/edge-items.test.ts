import type { Json } from '@millrace/engine';
import { describe, expect, it } from 'vitest';
import type { NodeRecord, NodeRunStatus } from '../../run-view/run-store.ts';
import { edgeItems } from './edge-items.ts';

const record = (output: Json, status: NodeRunStatus = 'success', metadata = {}): NodeRecord => ({
  status,
  output,
  error: null,
  started_at_ms: 0,
  execution_time_ms: 1,
  metadata,
});
const ran = (...records: NodeRecord[]): readonly NodeRecord[] => records;
const items = (
  source: readonly NodeRecord[] | undefined,
  target: readonly NodeRecord[] | undefined,
  { from = 'output', to = 'input' } = {},
) => edgeItems({ source_handle: from, target_handle: to, source, target });
const taken = ran(record({}));

describe('edgeItems', () => {
  it.each<[string, Json, number | undefined]>([
    ['a list', [1, 2, 3], 3],
    ['an empty list', [], 0],
    ['an object with one list', { status: 200, body: [1, 2] }, 2],
    ['a list with its length', { notes: ['a', 'b'], count: 2, success: true }, 2],
    ['the results of a loop', { results: [], total: 0, branch: 'done' }, 0],
    ['nothing in a message without attachments', { subject: 'Hi', attachments: [] }, undefined],
    ['nothing in a message with attachments', { text: 'Hi', count: 7, files: ['a'] }, undefined],
    ['an object with two lists', { a: [1], b: [2] }, undefined],
    ['a single value', { id: 1 }, undefined],
    ['a text', 'abc', undefined],
  ])('counts %s', (_name, output, expected) => {
    expect(items(ran(record(output)), taken)).toBe(expected);
  });

  it('counts rounds: into the body of a loop, within it, and back', () => {
    const loop = ran(record({ items: [1, 2, 3] }));
    const body = ran(record(1), record(2), record(3));
    expect(items(loop, body, { from: 'loop' })).toBe(3);
    expect(items(body, body)).toBe(3);
    expect(items(body, loop, { to: 'loop' })).toBe(3);
    expect(items(loop, taken, { from: 'done' })).toBe(3);
  });

  it('counts nothing that did not pass', () => {
    const list = ran(record([1, 2]));
    expect(items(list, undefined)).toBeUndefined();
    expect(items(undefined, taken)).toBeUndefined();
    expect(items(list, ran(record(null, 'skipped')))).toBeUndefined();
    expect(items(ran(record([1], 'error')), taken)).toBeUndefined();
  });

  it('counts failures on the way of errors, and no attempt that was repeated', () => {
    const failed = ran(
      record({ error: 'a' }, 'error', { retry_stage: 'attempt_failed' }),
      record({ error: 'b' }, 'error'),
    );
    expect(items(failed, taken, { from: 'error' })).toBe(1);
  });
});
