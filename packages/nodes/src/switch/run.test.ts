import { expect, test } from 'vitest';
import { catalog } from '../catalog.ts';
import { runNode } from '../testing/run-node.ts';

const inputs = { start: { text: 'b', yes: true, none: null, n: 2.5, list: [1, 'a'] } };

test('the first case that equals the value is taken', async () => {
  expect(await runNode('switch', { expression: '$input.text', cases: ['a', 'b', 'b'] }, { inputs })).toEqual({
    output: { branch: 'case-1', value: 'b' },
    ports: ['case-1'],
  });
});

test('no matching case continues at the default', async () => {
  expect(await runNode('switch', { expression: '$input.text', cases: ['x'] }, { inputs })).toEqual({
    output: { branch: 'default', value: 'b' },
    ports: ['default'],
  });
});

test.each([
  ['$input.yes', 'True'],
  ['$input.yes', 'true'],
  ['$input.none', 'None'],
  ['$input.none', 'null'],
  ['$input.n', '2.5'],
  ['$input.list', '[1, "a"]'],
  ['$input.list', '[1,"a"]'],
  ['text with $input.text', 'text with b'],
])('%s equals the case %s', async (expression, text) => {
  expect(await runNode('switch', { expression, cases: [text] }, { inputs })).toMatchObject({
    ports: ['case-0'],
  });
});

test('cases may be one text with commas', async () => {
  expect(await runNode('switch', { expression: '$input.text', cases: 'a, b ,c' }, { inputs })).toMatchObject({
    ports: ['case-1'],
  });
});

test('an export without cases and expression continues at the default with the text of its input', async () => {
  expect(await runNode('switch', {}, { inputs })).toEqual({
    output: { branch: 'default', value: 'b' },
    ports: ['default'],
  });
});

test('there is one handle for each case and one for the default', () => {
  const ports = catalog.get('switch')?.ports({ cases: ['a', 'b'] });
  expect(ports?.outputs).toEqual(['case-0', 'case-1', 'default']);
});

test('too many cases are refused with the limit', async () => {
  const cases = Array.from({ length: 201 }, () => 'x');
  expect(await runNode('switch', { expression: 'x', cases })).toMatchObject({
    failure: { kind: 'params', field: 'cases', message: expect.stringContaining('200') },
  });
});
