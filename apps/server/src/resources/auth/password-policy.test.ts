import { describe, expect, it } from 'vitest';
import { useTestApp } from '../../testing/index.ts';

const app = await useTestApp();

const WEAK: [rule: string, password: string, missing: string][] = [
  ['minimum length 8', 'Abcde1!', '8 characters'],
  ['at least one A-Z', 'abcdefg1', 'A-Z'],
  ['at least one a-z', 'ABCDEFG1', 'a-z'],
  ['at least one 0-9', 'Abcdefgh', '0-9'],
  ['letters beyond A-Z do not count as uppercase', 'äbcdefÄ1', 'A-Z'],
  ['digits beyond 0-9 do not count', 'Abcdefg٣', '0-9'],
];
let people = 0;
const register = (password: unknown) => {
  people += 1;
  const email = `policy-${people}@example.com`;
  const headers = { 'x-test-ip': `10.54.0.${people}` };
  return app.call('POST', '/api/auth/register', { email, password, name: 'P' }, headers);
};

describe('§5.4 password policy', () => {
  it.each(WEAK)('§5.4, §8.3: registration: %s', async (_rule, password, missing) => {
    const answer = await register(password);
    expect(answer.statusCode).toBe(422);
    expect(answer.json().detail).toEqual([
      { loc: ['body', 'password'], msg: expect.stringContaining(missing), type: expect.any(String) },
    ]);
  });

  it.each(WEAK)('§5.4: password change: %s', async (_rule, password) => {
    const user = await app.user();
    const answer = await user.call('POST', '/api/auth/change-password', {
      current_password: 'Passw0rd!',
      new_password: password,
    });
    expect(answer.statusCode).toBe(422);
    expect(answer.json().detail[0].loc).toEqual(['body', 'new_password']);
  });

  it('§5.4, §8.3: the shortest password that keeps every rule is taken', async () => {
    expect((await register('Abcdefg1')).statusCode).toBe(201);
  });

  it('§5.4: 422 comes before any database write: the address stays free and the old password good', async () => {
    const email = 'later@example.com';
    const weak = { email, password: 'weak', name: 'P' };
    const login = async (by: string, password: string) =>
      (await app.call('POST', '/api/auth/login', { email: by, password })).statusCode;
    expect((await app.call('POST', '/api/auth/register', weak)).statusCode).toBe(422);
    const strong = { ...weak, password: 'Abcdefg1' };
    expect((await app.call('POST', '/api/auth/register', strong)).statusCode).toBe(201);
    expect(await login(email, 'Abcdefg1')).toBe(200);
    const user = await app.user();
    const change = { current_password: 'Passw0rd!', new_password: 'weak' };
    expect((await user.call('POST', '/api/auth/change-password', change)).statusCode).toBe(422);
    expect(await login(user.email, 'Passw0rd!')).toBe(200);
  });
});
