import { describe, expect, it } from 'vitest';
import { isCurlCommand, outlineCurl } from './outline.ts';

describe('outline of a curl command', () => {
  it('names what is sent and leaves expressions in their places', () => {
    expect(
      outlineCurl(
        `curl -s 'https://api.example.com/$in.body.id' --url-query 'q=$in.body.q' -H "X-Shop: $in.body.shop" -A probe --json '{"note": "$in.body.note"}' --compressed-ssh`,
      ),
    ).toEqual({
      method: 'POST',
      url: 'https://api.example.com/$in.body.id',
      query: ['q=$in.body.q'],
      headers: ['X-Shop: $in.body.shop', 'User-Agent: probe'],
      body: ['{"note": "$in.body.note"}'],
      ignored: expect.arrayContaining(['--compressed-ssh']),
    });
  });

  it('says why a command cannot be sent', () => {
    expect(outlineCurl('curl -X GET')).toEqual({ problem: 'the address is missing' });
    expect(outlineCurl('curl -d @secret https://example.com')).toEqual({
      problem: expect.stringContaining('reads a file'),
    });
  });

  it('leaves the method open while an expression decides it', () => {
    expect(outlineCurl('curl -X $in.body.verb https://example.com')).toMatchObject({ method: undefined });
  });
});

it.each([
  ['curl example.com/a', true],
  [" curl.exe -X POST \\\n 'https://api.example.com/$in.id' -d a=1", true],
  ['curl -F file=@report.csv https://api.example.com', true],
  ["curl 'https://api.example.com", true],
  ['curl is a program that sends requests.', false],
  ["curl doesn't need it", false],
  ['curl -X POST', false],
  ['{"use": "curl https://api.example.com"}', false],
])('%j is a command: %s', (text, expected) => expect(isCurlCommand(text)).toBe(expected));
