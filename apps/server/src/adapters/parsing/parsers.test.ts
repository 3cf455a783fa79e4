import { NODE_PARSERS } from '@millrace/nodes/parsers';
import { afterAll, describe, expect, test } from 'vitest';
import { openParsers } from './parsers.ts';
import { fuzz, HOSTILE_KINDS, measureLoopDelay } from './testing/loop-delay.ts';

/**
 * `bench/parsers.bench.ts` measures the 250 ms that may be. Beside other work of the machine only a longer time says that a
 * document was read in the process itself, which takes seconds.
 */
const LONGEST_DELAY_MS = 1_000;
const DOCUMENTS = 5;

const parsers = openParsers();
afterAll(() => parsers.close());

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const keys = (count: number): string => Array.from({ length: count }, (_, at) => `key_${at}: 1`).join('\n');

/** A JSON Schema with so many patterns. */
const patterns = (count: number): string => {
  const fields = Array.from({ length: count }, (_, at) => [
    `a${at}`,
    { type: 'string', pattern: '(a{1,30}){1,30}' },
  ]);
  return JSON.stringify({ type: 'object', properties: Object.fromEntries(fields) });
};

type Run = (limits: { what: string; time_ms: number }) => Promise<unknown>;

const HOSTILE: readonly (readonly [string, Run])[] = [
  ['YAML of 32,000 keys', (limits) => parsers.run('yaml', [keys(32_000)], limits)],
  ['YAML with keys within keys', (limits) => parsers.run('yaml', ['? '.repeat(500)], limits)],
  ['600 nested lists', (limits) => parsers.run('html_text', [bytes('<ul><li>a'.repeat(600))], limits)],
  [
    'a selector that looks at all elements behind each',
    (limits) => {
      const selector = { name: 'a', selector: 'b:has(~ i)', attributes: [] };
      return parsers.run('html_elements', ['<b></b>'.repeat(16_000), [selector], 'selectors'], limits);
    },
  ],
  [
    'CSV with as many columns as rows',
    (limits) => {
      const options = { delimiter: ',', hasHeader: true, trimValues: true };
      return parsers.run('csv', [`${','.repeat(32_000)}${'\na'.repeat(32_000)}`, options], limits);
    },
  ],
  ['JSON of a million objects', (limits) => parsers.run('json', [`[${'{},'.repeat(1_000_000)}1]`], limits)],
  [
    'a model answer of a million objects',
    (limits) => parsers.run('json_answer', [`[${'{},'.repeat(1_000_000)}1]`, false], limits),
  ],
  [
    'the schema of an answer with patterns that take long to compile',
    (limits) => parsers.run('answer_schema', [patterns(2_000)], limits),
  ],
  [
    'expected outputs that are schemas with such patterns',
    (limits) => {
      const expected = Array.from({ length: 10 }, () => ({ text: patterns(600), mode: 'text' as const }));
      return parsers.run('eval_problem', ['schema', expected], limits);
    },
  ],
  [
    'an answer that is compared with each part of a long list',
    (limits) => {
      const [answer, text] = [`[${'[1],'.repeat(12_000)}1]`, `[${'[2],'.repeat(12_000)}2]`];
      return parsers.run('eval_score', ['contains', answer, { text, mode: 'json' }], limits);
    },
  ],
  [
    'a schema that refers to itself twice',
    (limits) => {
      const schema = { anyOf: [{ items: { $ref: '#' } }, { items: { $ref: '#' } }], minItems: 1 };
      const value = JSON.parse(`${'['.repeat(40)}1${']'.repeat(40)}`) as never;
      return parsers.run('arguments', [{ a: value }, { properties: { a: schema } }], limits);
    },
  ],
];

describe('the event loop does not wait for', { timeout: 60_000 }, () => {
  test('as the gauge would show: read in the process itself, YAML of 24,000 keys holds it up', async () => {
    expect(await measureLoopDelay(() => NODE_PARSERS.yaml(keys(24_000)))).toBeGreaterThan(LONGEST_DELAY_MS);
  });

  test.each(HOSTILE)('%s, which ends with a result or an error', async (_, run) => {
    const limits = { what: 'The document', time_ms: 1_000 };
    const work = () => run(limits).then(null, (error: unknown) => error);
    expect(await measureLoopDelay(work)).toBeLessThan(LONGEST_DELAY_MS);
  });

  test.each(HOSTILE_KINDS)('documents of the kind %s that are made to take long', async (kind) => {
    const { delay_ms, read, given_up, refused } = await fuzz(parsers, {
      kind,
      count: DOCUMENTS,
      most_characters: 8_000,
      time_ms: 300,
      at_once: 4,
    });
    expect(read + given_up + refused).toBe(DOCUMENTS);
    expect(delay_ms).toBeLessThan(LONGEST_DELAY_MS);
  });
});
