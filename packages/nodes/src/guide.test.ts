import { defineNode, field } from '@millrace/engine';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { guideExamples, renderNodeGuide } from './guide.ts';

const definition = defineNode({
  type: 'sample',
  title: 'Sample',
  family: 'data',
  summary: 'Keeps $vars.<name>.',
  icon: 'box',
  params: z.object({
    text: field.template('Text', { help: 'Either a|b or <c>.' }).default('x'),
    count: field.number('Count'),
  }),
  initial: { text: '$input' },
});

test('a page tells what the guide says and lists what the definition declares', () => {
  const page = renderNodeGuide(definition, '# Anything\n\nWhat it does.\n');
  expect(page).toContain('# Sample\n\nWhat it does.\n\n## Reference');
  expect(page).toContain(
    '| `text` | Text | text with `$` references | `"$input"` | `"x"` | Either a\\|b or &lt;c>. |',
  );
  expect(page).toContain('| `count` | Count | as written |  | required |  |');
  expect(page).not.toContain('Anything');
});

test('a page without a guide has the summary', () => {
  expect(renderNodeGuide(definition, '')).toContain('# Sample\n\nKeeps $vars.&lt;name>.\n\n## Reference');
});

test('examples are the fenced blocks that say so', () => {
  const guide = '```json example\n{"data": {"a": 1}}\n```\n\n```json\n{"data": {"b": 1}}\n```\n';
  expect(guideExamples(guide)).toEqual([{ data: { a: 1 } }]);
});

test('an example without data is refused', () => {
  expect(() => guideExamples('```json example\n{"result": 1}\n```\n')).toThrow('needs "data"');
});
