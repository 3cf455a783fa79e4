import { describe, expect, it } from 'vitest';
import { memoryLimiters, redisLimiters, requireAttempt } from './limits.ts';

const RULE = { name: `test-${process.pid}-${Date.now()}`, attempts: 3, window_seconds: 60, ban_seconds: 600 };

describe('attempt limits', () => {
  it('refuse the attempt after the last allowed one, for the time of the ban, per key', async () => {
    const limiter = memoryLimiters(RULE);
    const answers = [];
    for (let n = 0; n < 5; n++) answers.push(await limiter.count('1.2.3.4'));
    expect(answers).toEqual([undefined, undefined, undefined, 600, expect.any(Number)]);
    expect(await limiter.count('1.2.3.5')).toBeUndefined();
  });

  it('refuse with Retry-After', async () => {
    const refused = requireAttempt({ count: () => Promise.resolve(42) }, '1.2.3.4');
    await expect(refused).rejects.toMatchObject({
      code: 'rate_limited',
      status: 429,
      headers: { 'Retry-After': '42' },
    });
  });

  it('go on counting in this process while the shared store cannot be reached', async () => {
    const broken = { eval: () => Promise.reject(new Error('gone')), multi: () => ({}) };
    const limiter = redisLimiters(broken)(RULE);
    const answers = [];
    for (let n = 0; n < 4; n++) answers.push(await limiter.count('1.2.3.4'));
    expect(answers).toEqual([undefined, undefined, undefined, 600]);
  });
});
