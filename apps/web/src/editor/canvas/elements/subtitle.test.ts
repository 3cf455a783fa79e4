import { describe, expect, it } from 'vitest';
import { subtitleOf } from './subtitle.ts';

describe('the line under a label', () => {
  it.each([
    [{ condition: '$a.x > 1' }, '$a.x > 1'],
    [{ curl: 'curl -X GET https://example.com' }, '-X GET https://example.com'],
    [{ duration: 250 }, '250 ms'],
    [
      {
        mappings: [
          { key: 'a', value: '1' },
          { key: 'b', value: '2' },
        ],
      },
      'a, b',
    ],
    [{ message: 'two\n lines' }, 'two lines'],
    [{}, ''],
  ])('%j reads %s', (data, expected) => {
    expect(subtitleOf(data)).toBe(expected);
  });

  it('is cut at a readable length', () => {
    expect(subtitleOf({ message: 'x'.repeat(200) })).toHaveLength(60);
  });
});
