import { expect, test } from 'vitest';
import { checkWords } from './words.ts';

const listRules = (text: string) => checkWords([{ path: 'a.ts', text }]).map(({ rule }) => rule);

test.each([
  ['a function', 'export function textOf(value: string) { return value; }'],
  ['an arrow function', 'const textOf = (value: string) => value;'],
  ['a method', 'class Row { textOf(value: string) { return value; } }'],
  ['a function that is called like a method of the language', 'const valueOf = (value: string) => value;'],
  ['an arrow function of a class', 'class Row { textOf = (value: string) => value; }'],
  ['an abstract method', 'abstract class Row { abstract textOf(value: string): string }'],
  ['a function that is only declared', 'declare function textOf(value: string): string;'],
  ['a private method', 'class Row { #textOf(value: string) { return value; } }'],
  ['a method of an object', 'const row = { textOf(value: string) { return value; } };'],
  ['a property with a function', 'const row = { textOf: (value: string) => value };'],
  ['a method of an interface', 'interface Row { textOf(value: string): string }'],
  ['a property of an interface', 'interface Row { readonly textOf: (value: string) => string }'],
])('%s whose name is no verb', (_, text) => {
  expect(listRules(text)).toEqual(['functions-are-verbs']);
});

test.each([
  ['verbs', 'export function readText(value: string) { return value; }'],
  ['names that the language gives', 'class Row { valueOf() { return 1; } }'],
  ['predicates', 'const isPartOf = (a: string, b: string) => b.includes(a);'],
  ['values', 'const sumOf = 3;'],
  ['types', 'type TextOf<T> = T;'],
])('%s are left alone', (_, text) => {
  expect(listRules(text)).toEqual([]);
});

test.each([
  ['/** What a row holds. */\nconst row = 1;', ['comments-name-the-thing']],
  ['/**\n * What a row holds.\n */\nconst row = 1;', ['comments-name-the-thing']],
  ['// What a row holds.\nconst row = 1;', ['comments-name-the-thing']],
  ['const row = 1; // What it holds.', ['comments-name-the-thing']],
  ['/** The values of a row. What is left out is null. */\nconst row = 1;', []],
  ['// It is not certain of all rows.\n// What is left out is null.\nconst row = 1;', []],
  ['// WhatsApp counts its messages.\nconst row = 1;', []],
])('the first word of %j', (text, rules) => {
  expect(listRules(text)).toEqual(rules);
});
