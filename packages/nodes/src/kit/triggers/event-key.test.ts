import type { JsonObject } from '@millrace/engine';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { eventKey, readEventKey } from './event-key.ts';
import { eventKeyFields } from './event-key-fields.ts';

const params = z.object(eventKeyFields('$input.body.id'));
const scope = { now: () => 0, uuid: () => '', random: () => 0, timezone: 'UTC' };

function keyIn(expression: string, input: JsonObject): string | undefined {
  const key = readEventKey(params.parse({ deduplicateBy: expression }));
  if (!key) throw new Error('no key');
  return eventKey(key, input, scope);
}

describe('the setting', () => {
  test('is off when it is empty or left out', () => {
    for (const deduplicateBy of [undefined, '', '  '])
      expect(readEventKey(params.parse({ deduplicateBy }))).toBeUndefined();
  });

  test('has a window of a day, at most 30 days', () => {
    expect(readEventKey(params.parse({ deduplicateBy: '$input.id' }))).toEqual({
      expression: '$input.id',
      window_ms: 86_400_000,
    });
    expect(params.safeParse({ deduplicateMinutes: 43_201 }).error?.issues[0]?.message).toContain('43200');
  });
});

describe('the key of an event', () => {
  test('is the same for equal values, regardless of the order of their fields', () => {
    expect(keyIn('$input.body', { body: { a: 1, b: [2] } })).toBe(
      keyIn('$input.body', { body: { b: [2], a: 1 } }),
    );
    expect(keyIn('$input.a + "-" + $input.b', { a: 'x', b: 'y' })).toBe(keyIn('$input.c', { c: 'x-y' }));
  });

  test.each([
    [1, '1'],
    [true, 'true'],
    [
      [1, 2],
      [2, 1],
    ],
    [0, false],
  ])('tells %j from %j', (one, other) => {
    expect(keyIn('$input.v', { v: one })).not.toBe(keyIn('$input.v', { v: other }));
  });

  test.each([[null], [''], [[]], [{}], [[null, '']], [{ a: null }]])('does not exist for %j', (v) => {
    expect(keyIn('$input.v', { v })).toBeUndefined();
  });

  test('does not exist for an event without the field', () => {
    expect(keyIn('$input.body.id', { body: {} })).toBeUndefined();
    expect(keyIn('$[$input.a, $input.b]', {})).toBeUndefined();
  });

  test.each([[0], [false]])('exists for %j', (v) => {
    expect(keyIn('$input.v', { v })).toBe(String(v));
  });

  test('fails for work without end', () => {
    const list = Array.from({ length: 2_000 }, (_, at) => at);
    expect(() => keyIn('$[x + y for x in input.list for y in input.list]', { list })).toThrow(
      'too much work',
    );
  });
});
