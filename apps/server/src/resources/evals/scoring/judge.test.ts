import { describe, expect, test } from 'vitest';
import { readVerdict } from './judge.ts';

describe('a verdict', () => {
  const verdict = (body: unknown) =>
    readVerdict({ text: typeof body === 'string' ? body : JSON.stringify(body), is_cut: false });
  test.each([
    [
      { score: 50, explanation: 'half' },
      { score: '50', is_pass: true, explanation: 'half' },
    ],
    [
      { score: 49, explanation: 'less' },
      { score: '49', is_pass: false, explanation: 'less' },
    ],
    [{ score: 49.6 }, { score: '50', is_pass: true, explanation: null }],
    [
      { score: 0, explanation: '' },
      { score: '0', is_pass: false, explanation: '' },
    ],
    [{ score: 101 }, { problem: 'returned no score from 0 to 100' }],
    [{ score: '80' }, { problem: 'returned no score from 0 to 100' }],
    ['It is good.', { problem: expect.stringContaining('returned no JSON object') }],
    [[80], { problem: expect.stringContaining('returned no JSON object') }],
  ])('%j', (body, expected) => {
    expect(verdict(body)).toEqual(expected);
  });
});
