import { receivers } from '@millrace/nodes/runtime';
import { expect, test } from 'vitest';
import { sourceKind } from './trigger-source.ts';

test('§6.3: metrics know the label of every trigger, and call what callers of the API invent custom', () => {
  const labels = [...receivers.values()].flatMap(({ source }) => (source === null ? [] : [source]));
  expect(labels).toContain('heym_event');
  expect(labels.map(sourceKind)).toEqual(labels);
  expect(sourceKind('my own label')).toBe('custom');
  expect(sourceKind(null)).toBe('queue');
});
