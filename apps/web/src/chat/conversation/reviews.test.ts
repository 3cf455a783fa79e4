import { expect, it } from 'vitest';
import { collectReviews } from './reviews.ts';

it('§3.4 finds the review URL of a paused run, and nothing else that looks like a link', () => {
  const url = 'https://example.com/review/abc';
  expect(collectReviews({ ask: { reviewUrl: url, summary: 'Check' }, other: { result: 'x' } })).toEqual([
    { url, summary: 'Check' },
  ]);
  expect(collectReviews({ ask: { reviewUrl: 'javascript:alert(1)' } })).toEqual([]);
  expect(collectReviews(undefined)).toEqual([]);
});
