import { expect, it } from 'vitest';
import { findForeignSyntax } from './foreign-syntax.ts';

it.each([
  '{{ $json.items }}',
  '={{ $json.body.text }}',
  'Hello {{$start.body.text}}!',
  '$json.text',
  '$node["start"].json.text',
  "$('start').item.json.text",
])('recognizes %s', (text) => {
  expect(findForeignSyntax(text, { input: {} })).toBe('foreign_syntax');
});

it.each([
  '$input.text',
  'Hello {{name}}, you owe $input.total',
  '{"a": {"b": $input.c}}',
  '$jsonLines.first()',
  'costs $(5)',
  '$("a" in input.text)',
  '$("total: " + str(input.n)).upper()',
  '$now.add(1, "days").format("YYYY-MM-DD")',
  '$now.format("dddd, D MMMM YYYY")',
  '$now.format("ddd HH:mm")',
  '$input.items.map("item.name")',
  'from $input.a (old => new)',
  '$input.n >= 3',
  '$input.n == 1 && $input.s != "a"',
  '=== $input.title ===',
  'A === B, says $input.name',
  '$input.text.replace("===", "-")',
  '$input.text.split("!==").first()',
  '$input.items.filter("item.kind == \'===\'")',
  '$input.a ==== b',
])('leaves %s alone', (text) => {
  expect(findForeignSyntax(text, { input: {} })).toBeUndefined();
});

it('leaves $json alone where a node has this label', () => {
  expect(findForeignSyntax('$json.text', { json: {} })).toBeUndefined();
});

it.each([
  ['$now.plus({days: 1})', 'foreign_dates'],
  ['$now.minus(1, "day").toISO()', 'foreign_dates'],
  ['$input.date.toFormat("yyyy")', 'foreign_dates'],
  ['$now.format("yyyy-MM-dd")', 'foreign_dates'],
  ['$now.format("dd.MM.YYYY")', 'foreign_dates'],
  ['$input.items.map(i => i.name)', 'foreign_arrow'],
  ['$input.items.filter((i, n) => n > 1).length', 'foreign_arrow'],
  ['$input.n === 1', 'foreign_equality'],
  ['$input.n!==1', 'foreign_equality'],
  ['$input.s.get("a b") === "x"', 'foreign_equality'],
  ['$(input.n === 1)', 'foreign_equality'],
  ['$input.n == 1 && $input.s !== "a"', 'foreign_equality'],
  ['"open" === $input.s', 'foreign_equality'],
  ['$input.items.filter("item.kind === \'a\'")', 'foreign_equality'],
])('recognizes %s as %s', (text, kind) => {
  expect(findForeignSyntax(text, { input: {} })).toBe(kind);
});
