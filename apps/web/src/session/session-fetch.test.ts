import { describe, expect, it, vi } from 'vitest';
import { createSessionFetch, type Renewal } from './session-fetch.ts';

const answer = (status: number) => new Response(null, { status });

function setUp(outcome: Renewal, signedIn = false) {
  let valid = false;
  const send = vi.fn<typeof fetch>(() => Promise.resolve(answer(valid ? 200 : 401)));
  const renew = vi.fn(async (): Promise<Renewal> => {
    await Promise.resolve();
    valid = outcome === 'renewed';
    return outcome;
  });
  const signInAgain = vi.fn(async () => {
    await Promise.resolve();
    valid = signedIn;
    return signedIn;
  });
  return { send, renew, signInAgain, call: createSessionFetch({ send, renew, signInAgain }) };
}

describe('createSessionFetch', () => {
  it('repeats a refused request after one renewal', async () => {
    const { call, send } = setUp('renewed');
    expect((await call('/api/workflows')).status).toBe(200);
    expect(send).toHaveBeenCalledTimes(2);
  });

  it('renews once for many requests that fail together', async () => {
    const { call, renew } = setUp('renewed');
    const answers = await Promise.all([call('/api/a'), call('/api/b'), call('/api/c')]);
    expect(answers.map((item) => item.status)).toEqual([200, 200, 200]);
    expect(renew).toHaveBeenCalledTimes(1);
  });

  it('renews again for a later expiry', async () => {
    const { call, renew, send } = setUp('renewed');
    await call('/api/a');
    send.mockResolvedValueOnce(answer(401));
    await call('/api/a');
    expect(renew).toHaveBeenCalledTimes(2);
  });

  it('tells the renewal when the refused request left, so that one of another tab since then counts', async () => {
    const { send, renew, signInAgain } = setUp('renewed');
    let time = 1_000;
    send.mockImplementationOnce(() => {
      time = 5_000;
      return Promise.resolve(answer(401));
    });
    await createSessionFetch({ send, renew, signInAgain, now: () => time })('/api/a');
    expect(renew).toHaveBeenCalledExactlyOnceWith(1_000);
  });

  it('sends every waiting request once the person has signed in again', async () => {
    const { call, signInAgain } = setUp('ended', true);
    const answers = await Promise.all([call('/api/a'), call('/api/b')]);
    expect(answers.map((item) => item.status)).toEqual([200, 200]);
    expect(signInAgain).toHaveBeenCalledTimes(1);
  });

  it('hands the refusal back when the person does not sign in again', async () => {
    const { call, send } = setUp('ended');
    expect((await call('/api/a')).status).toBe(401);
    expect(send).toHaveBeenCalledTimes(1);
  });

  it('does not ask for a sign-in when the server could not be reached', async () => {
    const { call, signInAgain } = setUp('unknown');
    expect((await call('/api/a')).status).toBe(401);
    expect(signInAgain).not.toHaveBeenCalled();
  });

  it.each(['/api/auth/login', '/api/auth/refresh', '/api/auth/change-password'])(
    'leaves a 401 of %s alone, which means a wrong password or token',
    async (path) => {
      const { call, renew } = setUp('renewed');
      expect((await call(path)).status).toBe(401);
      expect(renew).not.toHaveBeenCalled();
    },
  );
});
