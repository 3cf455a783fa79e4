import { describe, expect, it } from 'vitest';
import { bestMatches, matchScore } from './fuzzy.ts';

describe('matchScore', () => {
  it('needs every word, in any order and case', () => {
    expect(matchScore('Daily Sales Report', 'report daily')).toBeDefined();
    expect(matchScore('Daily Sales Report', 'daily weekly')).toBeUndefined();
  });

  it('prefers the start of the text, then the start of a word', () => {
    const start = matchScore('report', 'rep') ?? 0;
    const word = matchScore('daily report', 'rep') ?? 0;
    const middle = matchScore('prereport', 'rep') ?? 0;
    expect(start).toBeGreaterThan(word);
    expect(word).toBeGreaterThan(middle);
  });
});

describe('bestMatches', () => {
  const items = [
    { name: 'Send mail', note: 'reports' },
    { name: 'Report', note: '' },
  ];
  const texts = (item: (typeof items)[number]) => [item.name, item.note];

  it('puts a match of the name before one of the note', () => {
    expect(bestMatches(items, 'report', texts).map((item) => item.name)).toEqual(['Report', 'Send mail']);
  });

  it('keeps the order without words', () => {
    expect(bestMatches(items, ' ', texts)).toEqual(items);
  });
});
