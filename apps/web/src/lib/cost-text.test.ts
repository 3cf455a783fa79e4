import { expect, test } from 'vitest';
import { costText } from './cost-text.ts';

test.each([
  [0, 'en', '$0.00'],
  [12.345, 'en', '$12.35'],
  [0.4, 'en', '$0.40'],
  [0.0226, 'en', '$0.023'],
  [0.000123, 'en', '$0.00012'],
  [0.00000004, 'en', '$0.00'],
  [1.5, 'de', '1,50\u00a0$'],
])('%s dollars in %s are %s', (cost, locale, text) => {
  expect(costText(cost, locale)).toBe(text);
});
