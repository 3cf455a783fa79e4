import { expect, test } from 'vitest';
import { isAppendTo, isIncrement } from './increment.ts';

test.each([
  ['$global.n + 1', true],
  ['1 + $global.n', true],
  ['$global.n - $input.used', true],
  ['$global["n"] + 1', true],
  ['($global.n ?? 0) + 1', true],
  ['($global.n or 0) + 1', true],
  ['10 + $global.n - 7', true],
  ['$global.n + $global.other', true],
  ['$global.n + $vars.other * 2', true],
  ['$global.n', false],
  ['$global.other + 1', false],
  ['$global.n * 2', false],
  ['1 - $global.n', false],
  ['$global.n + $global.n', false],
  ['$global.n + $vars.n', false],
  ['$global.n + $global.size()', false],
  ['$global.n.x + 1', false],
  ['$global.n.length() + 1', false],
  ['$global[$input.name] + 1', false],
  ['($global.n ?? 5) + 1', false],
  ['$vars.n + 1', false],
  ['total: $global.n + 1', false],
  ['$global.n +', false],
  ['', false],
])('%s: %s', (text, expected) => {
  expect(isIncrement(text, 'n')).toBe(expected);
});

test.each([
  ['$vars.list.add(1)', true],
  ['$vars["list"].add($input.row)', true],
  ['$vars.list.add(1).add(2)', true],
  [' $vars.list.add($vars.list) ', true],
  ['$vars.list', false],
  ['$vars.other.add(1)', false],
  ['$vars.list.inner.add(1)', false],
  ['$vars.list.distinct().add(1)', false],
  ['$vars.list.add(1).distinct()', false],
  ['$global.list.add(1)', false],
  ['$vars[$input.name].add(1)', false],
  ['rows: $vars.list.add(1)', false],
  ['$vars.list.add(', false],
  ['', false],
])('%s appends to list: %s', (text, expected) => {
  expect(isAppendTo(text, 'list')).toBe(expected);
});
