import type { Json, JsonObject } from '@millrace/engine';
import { expect, test } from 'vitest';
import { runNode } from '../testing/run-node.ts';

const PAGE = `<!doctype html><title>T</title><ul><li class="a">One <b>two</b><script>x()</script></li>
<li data-n="&quot;3&quot;">Drei &amp; mehr</li></ul>`;
const run = (selectors: Json, html = PAGE) =>
  runNode('htmlExtract', { html: '$input.html', selectors }, { inputs: { start: { html } } });

test('texts and attributes by name, in the order of the page', async () => {
  const selectors = [
    { name: 'items', selector: 'li', attributes: ['data-n', 'class'] },
    { name: 'bold', selector: 'li b', attributes: 'innerHTML' },
    { selector: 'title' },
    { name: 'none', selector: 'table' },
    { name: 'row of another product', selector: '' },
  ];
  expect(await run(selectors)).toEqual({
    output: {
      extracted: {
        items: [
          { text: 'One\ntwo', class: 'a' },
          { text: 'Drei & mehr', 'data-n': '"3"' },
        ],
        bold: [{ text: 'two', innerHTML: 'two' }],
        title: [{ text: 'T' }],
        none: [],
      },
    },
  });
});

test.each<[Json, JsonObject]>([
  ['[{"selector": "li["}]', { field: 'selectors' }],
  ['no list', { field: 'selectors' }],
  [[5], { field: 'selectors' }],
  [[], { field: 'selectors' }],
  [[{ name: '__proto__', selector: 'li' }], { field: 'selectors' }],
])('%j is refused by the name of its field', async (selectors, failure) => {
  expect(await run(selectors)).toMatchObject({ failure: { kind: 'params', final: true, ...failure } });
});

test('without HTML there is nothing to look in', async () => {
  expect(await run([{ selector: 'a' }], ' ')).toMatchObject({ failure: { field: 'html' } });
});

test('elements that are nested too deeply fail with words about them', async () => {
  const result = await run([{ name: 'all', selector: 'body' }], '<div>'.repeat(12_000));
  expect(result).toMatchObject({
    failure: { kind: 'limit', message: expect.stringContaining('nested too deeply'), final: true },
  });
});
