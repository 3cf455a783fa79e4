import { describe, expect, it } from 'vitest';
import { buildSubtitle } from './subtitle.ts';

describe('the line under a label', () => {
  it.each([
    [{ condition: '$a.x > 1' }, '$a.x > 1'],
    [{ curl: 'curl -X GET https://example.com' }, 'GET https://example.com'],
    [{ curl: "curl -L -X POST 'https://a.example/b?c=d e' -H 'x: y'" }, 'POST https://a.example/b?c=d e'],
    [{ curl: 'curl "https://a.example" -d "{}"' }, 'POST https://a.example'],
    [{ curl: 'curl --request=delete --url https://a.example/1' }, 'DELETE https://a.example/1'],
    [{ curl: 'curl -H "a: b" $input.url' }, 'GET $input.url'],
    [
      { curl: 'curl -H "Authorization: Bearer $credentials.github" https://api.example' },
      'GET https://api.example',
    ],
    [{ curl: `curl -d '{"url":"https://x"}' https://api.example` }, 'POST https://api.example'],
    [{ curl: 'curl -X $input.verb https://api.example' }, 'https://api.example'],
    [{ curl: 'curl -sX DELETE https://a.example/1' }, 'DELETE https://a.example/1'],
    [{ curl: 'curl -X' }, '-X'],
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
    expect(buildSubtitle(data)).toBe(expected);
  });

  it('is cut at a readable length', () => {
    expect(buildSubtitle({ message: 'x'.repeat(200) })).toHaveLength(60);
  });
});
