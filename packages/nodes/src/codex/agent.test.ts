import { expect, test } from 'vitest';
import { codexAgent } from './agent.ts';

const identity = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;

const invoke = (config: Record<string, unknown>) =>
  codexAgent.invoke({
    config,
    params: {},
    now_ms: Date.parse('2026-11-30T08:00:00Z'),
    folder: '/var/tmp/task',
    prompt: 'Fix it',
    continued: undefined,
  });

test.each([
  ['sk-key', 'CODEX_API_KEY'],
  ['at-token', 'CODEX_ACCESS_TOKEN'],
])('the token %s is passed on as %s', (access_token, variable) => {
  const { variables, secret_files } = invoke({ auth_mode: 'access_token', access_token });
  expect(variables).toEqual({ CODEX_HOME: '/var/tmp/task/home', [variable]: access_token });
  expect(secret_files).toEqual({ 'home/auth.json': null });
});

test('§2.7: a sign-in is passed on as `codex login` leaves it, without the refresh token', () => {
  const id_token = identity({ 'https://api.openai.com/auth': { chatgpt_account_id: 'account-1' } });
  const { variables, secret_files = {} } = invoke({
    auth_mode: 'chatgpt',
    access_token: 'access',
    refresh_token: 'canary-refresh',
    id_token,
  });
  expect(variables).toEqual({ CODEX_HOME: '/var/tmp/task/home' });
  expect(Object.keys(secret_files)).toEqual(['home/auth.json']);
  expect(JSON.parse(secret_files['home/auth.json'] ?? '')).toEqual({
    OPENAI_API_KEY: null,
    tokens: { id_token, access_token: 'access', refresh_token: '', account_id: 'account-1' },
    last_refresh: '2026-11-30T08:00:00.000Z',
  });
});

test.each(['not a token', identity({}), 'e30.broken.x'])(
  'an identity without an account (%s) is passed on',
  (id_token) => {
    const { secret_files = {} } = invoke({ auth_mode: 'chatgpt', access_token: 'a', id_token });
    expect(JSON.parse(secret_files['home/auth.json'] ?? '')).toMatchObject({ tokens: { account_id: '' } });
  },
);

test('an access token of an account whose identity is not known is passed on alone', () => {
  expect(invoke({ auth_mode: 'chatgpt', access_token: 'at' }).variables).toMatchObject({
    CODEX_ACCESS_TOKEN: 'at',
  });
});

test('a credential that is not connected is refused before anything is started', () => {
  expect(() => invoke({ auth_mode: 'chatgpt' })).toThrow(/not connected yet/);
});
