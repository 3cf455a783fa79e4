import { describe, expect, it } from 'vitest';
import { describeAgent } from './describe-agent.ts';

describe('describeAgent', () => {
  it.each([
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
      'computer',
      'Firefox · Windows',
    ],
    [
      'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0',
      'computer',
      'Edge · Windows',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1 (KHTML, like Gecko) Version/19.0 Mobile Safari/604.1',
      'phone',
      'Safari · iOS',
    ],
    [
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/150.0 Safari/537.36',
      'computer',
      'Chrome · Linux',
    ],
    ['curl/8.5.0', 'program', 'curl'],
    [null, 'program', undefined],
  ] as const)('reads %s', (agent, kind, name) => {
    expect(describeAgent(agent)).toEqual({ kind, name });
  });
});
