import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Json } from '@millrace/engine';
import { describe, expect, test } from 'vitest';
import { bundleProgram } from '../../../tools/test/bundle-program.ts';
import { QUICK_RULES } from './quick-rules.ts';

const MOST_MS = 50;
const DOCUMENTS = 200;
/** Most arguments are too large for the quick rule; the search needs some that are not. */
const LEAST_TRIED = DOCUMENTS / 5;
/** A third of Node's stack: running out of all of it is too dangerous. */
const STACK_KB = 328;

const search = await bundleProgram(fileURLToPath(new URL('testing/quick-search.ts', import.meta.url)));

interface Worst {
  readonly tried: number;
  readonly worst_ms: number;
  readonly worst: string;
}

describe('documents that are read in the process itself', () => {
  test.each(Object.keys(QUICK_RULES))(
    'take no more than 50 ms and a third of the stack: %s',
    async (kind) => {
      const args = [`--stack-size=${STACK_KB}`, search, kind, `${DOCUMENTS}`];
      const { stdout } = await promisify(execFile)(process.execPath, args);
      const found = JSON.parse(stdout) as Worst;
      expect(found.tried).toBeGreaterThan(LEAST_TRIED);
      expect(found.worst_ms, found.worst).toBeLessThan(MOST_MS);
    },
    120_000,
  );

  const { yaml, markdown, arguments: checked } = QUICK_RULES;
  const deep = (count: number): Json => JSON.parse(`${'['.repeat(count)}1${']'.repeat(count)}`) as Json;

  test.each([
    ['lists within lists', '- '.repeat(8), '- '.repeat(9)],
    ['keys within keys', ': '.repeat(8), ': '.repeat(9)],
    ['lists that are written as in JSON', '[1], '.repeat(10), '[1], '.repeat(11)],
    ['indented keys', `${' '.repeat(40)}a: 1`, `${' '.repeat(41)}a: 1`],
  ])('are no YAML of more levels than a few: %s', (_, quick, slow) => {
    expect([yaml?.(quick), yaml?.(`a: 1\n${slow}`)]).toEqual([true, false]);
  });

  test.each([
    ['quotes', '>'.repeat(40), '>'.repeat(41)],
    ['lists', '- '.repeat(20), '- '.repeat(21)],
    ['numbered lists', '1. '.repeat(13), '1. '.repeat(14)],
    ['emphases', '*a_'.repeat(30), '*a_'.repeat(31)],
    ['links', '['.repeat(60), '['.repeat(61)],
  ])('are no Markdown of more levels than a few: %s', (_, quick, slow) => {
    expect([markdown?.(quick), markdown?.(`a\n\n${slow}`)]).toEqual([true, false]);
  });

  test('are no deep arguments or schemas, however deep', () => {
    expect(checked?.({ a: deep(15) }, { properties: { a: { type: 'array' } } })).toBe(true);
    expect(checked?.({ a: deep(5_000) }, {})).toBe(false);
    expect(checked?.({}, { enum: deep(16) })).toBe(false);
  });

  test('are no arguments that are compared with too much', () => {
    const schema = { properties: { a: { enum: Array.from({ length: 500 }, (_, at) => at) } } };
    expect(checked?.({ a: 'x'.repeat(100) }, schema)).toBe(true);
    expect(checked?.({ a: 'x'.repeat(1_000) }, schema)).toBe(false);
  });
});
