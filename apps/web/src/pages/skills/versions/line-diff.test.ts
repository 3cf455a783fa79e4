import { expect, test } from 'vitest';
import { lineDiff, shortened } from './line-diff.ts';

const SIGNS = { same: ' ', removed: '-', added: '+' };
const written = (before: string, after: string) =>
  lineDiff(before, after).map(({ kind, text }) => SIGNS[kind] + text);

test.each([
  ['a\nb\nc', 'a\nx\nc', [' a', '-b', '+x', ' c']],
  ['a\nb', 'a\nb', [' a', ' b']],
  ['', 'a', ['+a']],
  ['a\nb', '', ['-a', '-b']],
  ['a\nb\na', 'a\nb\na\nb\na', [' a', ' b', ' a', '+b', '+a']],
  ['a\nb\nc\nd', 'b\nx\nd\ne', ['-a', ' b', '-c', '+x', ' d', '+e']],
  ['a\n', 'a', [' a', '-']],
])('the lines of %j and %j', (before, after, lines) => {
  expect(written(before, after)).toEqual(lines);
});

test('texts that are too long to compare stand one after the other, without what they begin and end with', () => {
  const many = (word: string) => Array.from({ length: 2_500 }, (_, at) => `${word} ${at}`).join('\n');
  const lines = lineDiff(`same\n${many('a')}\nend`, `same\n${many('b')}\nend`);
  expect(lines.map(({ kind }) => kind)).toEqual([
    'same',
    ...Array<string>(2_500).fill('removed'),
    ...Array<string>(2_500).fill('added'),
    'same',
  ]);
});

test('unchanged lines far from a change are counted', () => {
  const before = Array.from({ length: 10 }, (_, at) => String(at)).join('\n');
  expect(shortened(lineDiff(before, before.replace('5', 'five')), 1)).toEqual([
    { kind: 'skipped', count: 4 },
    { kind: 'same', text: '4' },
    { kind: 'removed', text: '5' },
    { kind: 'added', text: 'five' },
    { kind: 'same', text: '6' },
    { kind: 'skipped', count: 3 },
  ]);
});
