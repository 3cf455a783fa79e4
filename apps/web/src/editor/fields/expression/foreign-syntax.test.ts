import { expect, it } from 'vitest';
import { isForeignSyntax } from './foreign-syntax.ts';

it.each([
  '{{ $json.items }}',
  '={{ $json.body.text }}',
  'Hello {{$start.body.text}}!',
  '$json.text',
  '$node["start"].json.text',
  "$('start').item.json.text",
])('recognizes %s', (text) => {
  expect(isForeignSyntax(text, { input: {} })).toBe(true);
});

it.each([
  '$input.text',
  'Hello {{name}}, you owe $input.total',
  '{"a": {"b": $input.c}}',
  '$jsonLines.first()',
  'costs $(5)',
  '$("a" in input.text)',
  '$("total: " + str(input.n)).upper()',
])('leaves %s alone', (text) => {
  expect(isForeignSyntax(text, { input: {} })).toBe(false);
});

it('leaves $json alone where a node has this label', () => {
  expect(isForeignSyntax('$json.text', { json: {} })).toBe(false);
});
