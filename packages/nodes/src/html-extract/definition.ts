import { defineNode, field } from '@millrace/engine';
import { z } from 'zod';

export const htmlExtract = defineNode({
  type: 'htmlExtract',
  title: 'HTML Extract',
  family: 'data',
  summary: 'Picks texts and attributes of elements out of HTML.',
  search_words: ['scrape', 'css selector'],
  icon: [['path', { d: 'M8 6l-5 6 5 6M16 6l5 6-5 6M12 8v8' }]],
  params: z.object({
    html: field.template('HTML', { kind: 'multiline', when_empty: 'Enter the HTML' }).default('$input.html'),
    selectors: field
      .value('Elements', {
        kind: 'json',
        help: 'A list such as [{"name": "links", "selector": "a", "attributes": ["href"]}].',
      })
      .default('[]'),
  }),
  initial: { label: 'htmlExtract', html: '$input.html', selectors: '[{"name": "title", "selector": "h1"}]' },
  output: z.object({ extracted: z.record(z.string(), z.array(z.record(z.string(), z.string()))) }),
  effect: 'read',
});
