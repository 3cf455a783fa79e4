import { describe, expect, it } from 'vitest';
import { createMemoryBroadcast } from '../../adapters/memory/broadcast.ts';
import { createHandClock } from '../../testing/hand-clock.ts';
import { createTokenCache } from './tokens-cache.ts';

function setUp() {
  const broadcast = createMemoryBroadcast();
  const clock = { now: 1_000_000 };
  const changes = createHandClock();
  const cache = createTokenCache<string>({ broadcast, changes, now: () => clock.now });
  let reads = 0;
  const facts = { exp: 10_000, verdict: 'yes' as string | undefined };
  const verify = () => {
    reads += 1;
    const { verdict, exp } = facts;
    return Promise.resolve(
      verdict === undefined ? undefined : { value: verdict, exp, subjects: ['user:1', 'workflow:2'] },
    );
  };
  const read = async (token = 'token') => (await cache.read(token, verify))?.value;
  return { broadcast, changes, cache, clock, facts, read, reads: () => reads };
}

describe('token cache', () => {
  it('verifies a token once while it is fresh', async () => {
    const { read, reads } = setUp();
    expect([await read(), await read(), await read()]).toEqual(['yes', 'yes', 'yes']);
    expect(reads()).toBe(1);
  });

  it('keeps tokens apart', async () => {
    const { read, reads } = setUp();
    await read('one');
    await read('two');
    expect(reads()).toBe(2);
  });

  it('verifies again after a change of any kind that another process has made', async () => {
    const { changes, facts, read, reads } = setUp();
    await read();
    changes.seen += 1;
    expect([await read(), await read()]).toEqual(['yes', 'yes']);
    expect(reads()).toBe(2);
    facts.verdict = undefined;
    changes.seen += 1;
    expect(await read()).toBeUndefined();
  });

  it('a change that is seen while the facts are being read voids what comes of it', async () => {
    const { changes, cache } = setUp();
    const slow = () => {
      changes.seen += 1;
      return Promise.resolve({ value: 'past', exp: 10_000, subjects: [] });
    };
    await cache.read('token', slow);
    expect(await cache.read('token', () => Promise.resolve(undefined))).toBeUndefined();
  });

  it('never answers from memory after the token has expired', async () => {
    const { clock, facts, read } = setUp();
    facts.exp = 1_001;
    await read();
    facts.verdict = undefined;
    clock.now = 1_001_000;
    expect(await read()).toBeUndefined();
  });

  it.each(['user:1', 'workflow:2'])('a change of %s voids the verdict at once', async (subject) => {
    const { broadcast, facts, read } = setUp();
    await read();
    facts.verdict = undefined;
    broadcast.publish('access_changed', subject);
    expect(await read()).toBeUndefined();
  });

  it('a change of something else does not', async () => {
    const { broadcast, read, reads } = setUp();
    await read();
    broadcast.publish('access_changed', 'user:2');
    await read();
    expect(reads()).toBe(1);
  });

  it('a change while the facts are being read voids what comes of it', async () => {
    const { broadcast, cache } = setUp();
    const slow = () => {
      broadcast.publish('access_changed', 'user:1');
      return Promise.resolve({ value: 'past', exp: 10_000, subjects: ['user:1'] });
    };
    await cache.read('token', slow);
    const now = await cache.read('token', () => Promise.resolve(undefined));
    expect(now).toBeUndefined();
  });

  it('refusals are not kept', async () => {
    const { facts, read } = setUp();
    facts.verdict = undefined;
    expect(await read()).toBeUndefined();
    facts.verdict = 'yes';
    expect(await read()).toBe('yes');
  });

  it('after more changes than it remembers, everything read before them is void', async () => {
    const { broadcast, facts, read } = setUp();
    await read();
    facts.verdict = undefined;
    for (let n = 0; n <= 20_000; n++) broadcast.publish('access_changed', `user:other-${n}`);
    expect(await read()).toBeUndefined();
  });
});
