import { createScope, evaluate, type JsonObject } from '@millrace/engine';
import { expect, it } from 'vitest';
import { base, convert } from '../../testing/converted.ts';

const main = (node: string) => ({ main: [[{ node, type: 'main', index: 0 }]] });

const values = [
  { key: 'title', cssSelector: 'h1' },
  { key: 'links', cssSelector: 'a', returnValue: 'attribute', attribute: 'href', returnArray: true },
  { key: 'none', cssSelector: 'h5' },
];
const extracted = {
  title: [{ text: 'Big\nNews' }, { text: 'B' }],
  links: [{ text: 'a', href: '/a' }],
  none: [],
};

/** An extraction behind rows of a database or fields, and a node that reads the whole of it. */
const read = (before: JsonObject, typeVersion = 1.2) =>
  convert({
    nodes: [
      { name: 'Before', ...before },
      {
        name: 'Html',
        type: base('html'),
        typeVersion,
        parameters: { operation: 'extractHtmlContent', extractionValues: { values } },
      },
      { name: 'After', type: base('limit'), parameters: {} },
    ],
    connections: { Before: main('Html'), Html: main('After') },
  });

const evaluated = (code: unknown, data: JsonObject): unknown =>
  evaluate(
    String(code),
    'value',
    createScope({ values: data, now: () => 0, uuid: () => '', random: () => 0 }),
  );

it.each([
  [1.2, 'Big News', ''],
  [1.1, 'Big NewsB', ''],
])('what version %s extracts are the fields themselves, as texts of one line', (version, title, none) => {
  const { node } = read({ type: base('set'), typeVersion: 3.4, parameters: {} }, version);
  const mappings = node('HtmlFields')?.data['mappings'] as { key: string; value: string }[];
  const fields = mappings.map(({ key, value }) => [key, evaluated(value, { Html: { extracted } })]);
  expect(Object.fromEntries(fields)).toEqual({ title, links: ['/a'], none });
});

it('a list of pages is a list of their fields', () => {
  const { node } = read({ type: base('postgres'), parameters: { operation: 'select', table: 't' } });
  expect(evaluated(node('After')?.data['items'], { HtmlLoop: { results: [{ extracted }] } })).toEqual([
    { title: 'Big News', links: ['/a'], none: '' },
  ]);
});
