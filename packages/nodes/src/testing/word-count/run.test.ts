import { expect, test } from 'vitest';
import { runNode } from '../run-node.ts';
import { runWordCount as implementation } from './run.ts';

test.each([
  ['', 0],
  ['one', 1],
  ['  two\nwords ', 2],
])('"%s" has %i words', async (text, words) => {
  expect(await runNode('wordCount', { text }, { implementation })).toEqual({ output: { words } });
});
