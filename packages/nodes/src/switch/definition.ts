import { defineNode, field, pythonText } from '@millrace/engine';
import { z } from 'zod';

const MAX_CASES = 200;

export const switchNode = defineNode({
  type: 'switch',
  title: 'Switch',
  family: 'flow',
  summary: 'Continues at the first matching case.',
  search_words: ['router', 'route', 'case'],
  icon: 'split',
  params: z.object({
    expression: field.raw('Value').default('$input.text'),
    cases: field
      .custom(
        z
          .union(
            [z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])).max(MAX_CASES), z.string()],
            {
              error: `must be a list of at most ${MAX_CASES} texts, or one text with commas`,
            },
          )
          .transform(caseTexts),
        'Cases',
        { kind: 'cases', help: 'Compared as text. The first matching case wins, otherwise the default.' },
      )
      .default([]),
    closesJoins: field
      .boolean('Skip nodes that other branches lead to', {
        group: 'Joins',
        help: 'Off: a node behind a branch that is not taken still runs when another node leads to it.',
      })
      .default(true),
  }),
  initial: { expression: '$input.text', cases: ['case1', 'case2'] },
  output: z.object({ branch: z.string(), value: z.json() }),
  ports: (data) => ({
    inputs: ['input'],
    outputs: [...caseTexts(data['cases']).map((_, index) => `case-${index}`), 'default'],
  }),
});

/** Cases as texts from a list or from text with commas; anything else has none. */
function caseTexts(stored: unknown): string[] {
  if (typeof stored === 'string') {
    return stored
      .split(',')
      .map((text) => text.trim())
      .filter((text) => text !== '')
      .slice(0, MAX_CASES);
  }
  if (!Array.isArray(stored)) return [];
  return stored.slice(0, MAX_CASES).map((item: unknown) => {
    const isScalar = ['string', 'number', 'boolean'].includes(typeof item);
    return isScalar || item === null ? pythonText(item) : '';
  });
}
