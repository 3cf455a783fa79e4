import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { exampleResult } from '../../packages/engine/src/expression/examples.ts';
import { functionDocs, methodDocs } from '../../packages/engine/src/expression/index.ts';
import { expressionReference } from './expressions.ts';

const page = readFileSync(new URL('../../docs/expressions.md', import.meta.url), 'utf8');

/** Rows of the page that end in an example and its result: `... | \`$input.count\` | \`5\` |`. */
function parseExamples(text: string): [example: string, result: string][] {
  return [...text.matchAll(/\| `([^`]*\$[^`]*)` \| `([^`]*)` \|$/gm)].map(([, example = '', result = '']) => [
    example.replaceAll('\\|', '|'),
    result.replaceAll('\\|', '|'),
  ]);
}

const examples = parseExamples(page);

test('every function and every method has an example with its result', () => {
  const written = new Set(examples.map(([example]) => example));
  for (const { example } of [...functionDocs, ...methodDocs]) expect(written).toContain(example);
});

describe('docs/expressions.md', () => {
  test.each(examples)('%s gives %s', (example, result) => {
    const mode = example.startsWith('$') ? 'value' : 'template';
    expect(JSON.stringify(exampleResult(example, mode))).toBe(result);
  });
});

test.each([...functionDocs, ...methodDocs].map(({ example }) => example))(
  'the example %s shows something',
  (example) => {
    const result = exampleResult(example);
    expect(result).not.toBeNull();
    // Text that comes back as it was written was not understood.
    expect(result).not.toBe(example);
  },
);

test('the page is made of the same tables', () => {
  expect(parseExamples(expressionReference())).toEqual(examples);
});
