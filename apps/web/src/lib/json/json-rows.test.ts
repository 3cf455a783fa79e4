import { describe, expect, it } from 'vitest';
import { pathKey, pathText, valueAt } from './json-path.ts';
import { CHILD_LIMIT, type Expansion, jsonRows, searchJson, withWayTo } from './json-rows.ts';

const expansion = (part: Partial<Expansion> = {}): Expansion => ({
  flipped: new Set(),
  openLevels: 1,
  shown: new Map(),
  ...part,
});
const lines = (value: unknown, part?: Partial<Expansion>) =>
  jsonRows(value, expansion(part)).map(
    (row) => `${row.level}${pathText(row.path)}${row.more ? `+${row.more}` : ''}`,
  );

describe('jsonRows', () => {
  it('opens the containers above the given level', () => {
    expect(lines({ a: { b: 1 }, c: [2] })).toEqual(['0', '1.a', '1.c']);
  });

  it('opens and closes rows against the rule', () => {
    const flipped = new Set([pathKey(['a'])]);
    expect(lines({ a: { b: 1 }, c: 2 }, { flipped })).toEqual(['0', '1.a', '2.a.b', '1.c']);
    expect(lines({ a: { b: 1 } }, { flipped: new Set([pathKey([])]) })).toEqual(['0']);
  });

  it('shows the first children of a long list and counts the rest', () => {
    const rows = lines(Array.from({ length: CHILD_LIMIT + 5 }, (_, index) => index));
    expect(rows).toHaveLength(CHILD_LIMIT + 2);
    expect(rows.at(-1)).toBe('1+5');
  });

  it('leaves headers closed, however high they are', () => {
    const call = { headers: { accept: '*/*' }, Headers: { a: 1 }, body: { id: 7 } };
    expect(lines(call, { openLevels: 3 })).toEqual(['0', '1.headers', '1.Headers', '1.body', '2.body.id']);
    expect(lines({ order: call }, { openLevels: 3 })).not.toContain('3.order.headers.accept');
    const flipped = new Set([pathKey(['headers'])]);
    expect(lines(call, { flipped, openLevels: 3 })).toContain('2.headers.accept');
  });

  it('gives empty containers no way to open', () => {
    expect(
      jsonRows({ a: [] }, expansion({ openLevels: 9 })).every(
        (row) => row.path.length === 0 || !row.expanded,
      ),
    ).toBe(true);
  });
});

describe('withWayTo', () => {
  const value = { a: { b: { c: 1 } }, d: [2] };

  it('opens what starts closed above a path, and nothing else', () => {
    const flipped = withWayTo([['a', 'b', 'c']], value, expansion());
    expect(lines(value, { flipped })).toEqual(['0', '1.a', '2.a.b', '3.a.b.c', '1.d']);
  });

  it('leaves closed what a person has closed', () => {
    const flipped = withWayTo([['a', 'b', 'c']], value, expansion({ flipped: new Set([pathKey([])]) }));
    expect(lines(value, { flipped })).toEqual(['0']);
  });
});

describe('searchJson', () => {
  it('finds names and plain values, ignoring case', () => {
    const value = { User: { mail: 'ann@example.org' }, list: [{ user: 3 }, 'ANN'] };
    expect(searchJson(value, 'user').map(pathText)).toEqual(['.User', '.list[0].user']);
    expect(searchJson(value, 'ann').map(pathText)).toEqual(['.User.mail', '.list[1]']);
  });

  it('stops at the limit', () => {
    expect(
      searchJson(
        Array.from({ length: 500 }, () => 'x'),
        'x',
        20,
      ),
    ).toHaveLength(20);
  });
});

describe('paths', () => {
  it('quotes names that are no identifiers', () => {
    expect(pathText(['a', 0, 'first name'])).toBe('.a[0]["first name"]');
  });

  it('keeps a position and a name of the same text apart', () => {
    expect(pathKey([0])).not.toBe(pathKey(['0']));
    expect(pathKey(['a/b'])).not.toBe(pathKey(['a', 'b']));
  });

  it('reads own properties only', () => {
    expect(valueAt({ a: [1, 2] }, ['a', 1])).toBe(2);
    expect(valueAt({}, ['constructor'])).toBeUndefined();
  });
});
