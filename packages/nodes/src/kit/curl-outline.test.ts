import { describe, expect, it } from 'vitest';
import { outlineCurl } from './curl-outline.ts';

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
