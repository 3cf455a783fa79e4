import { describe, expect, it } from 'vitest';
import { answerText, reviewsOf } from './answer-text.ts';

describe('answerText', () => {
  it.each([
    ['the text of an output node', { out: { result: 'Hello' } }, 'Hello'],
    ['the text of a model', { llm: { text: 'Hi', model: 'm', usage: { tokens: 3 } } }, 'Hi'],
    ['the object of a sole JSON mapper (§2.3)', { answer: 'Yes', score: 2 }, 'Yes'],
    ['a plain value', { out: { result: 42 } }, '42'],
    ['nothing', { out: {} }, ''],
    ['a text', 'plain', 'plain'],
    ['no outputs', undefined, ''],
  ])('is %s', (_what, outputs, text) => {
    expect(answerText(outputs)).toBe(text);
  });

  it('shows several outputs under their labels', () => {
    expect(answerText({ first: { result: 'A' }, empty: {}, second: { text: 'B' } })).toBe(
      '**first**\n\nA\n\n**second**\n\nB',
    );
  });

  it('shows data without a text as JSON', () => {
    expect(answerText({ out: { result: { rows: [1] } } })).toBe(
      '```json\n{\n  "rows": [\n    1\n  ]\n}\n```',
    );
    expect(answerText({ set: { price: 3 } })).toBe('```json\n{\n  "price": 3\n}\n```');
  });

  it('shows a picture as one, but no other data address', () => {
    expect(answerText({ out: { result: 'data:image/png;base64,AAAA' } })).toBe(
      '![](data:image/png;base64,AAAA)',
    );
    expect(answerText({ out: { result: 'data:image/svg+xml,<svg/>' } })).toBe('data:image/svg+xml,<svg/>');
  });
});

describe('reviewsOf', () => {
  it('§3.4 finds the review URL of a paused run, and nothing else that looks like a link', () => {
    const url = 'https://example.com/review/abc';
    expect(reviewsOf({ ask: { reviewUrl: url, summary: 'Check' }, other: { result: 'x' } })).toEqual([
      { url, summary: 'Check' },
    ]);
    expect(reviewsOf({ ask: { reviewUrl: 'javascript:alert(1)' } })).toEqual([]);
    expect(reviewsOf(undefined)).toEqual([]);
  });
});
