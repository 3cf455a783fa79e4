import { z } from 'zod';
import { budgetInput, budgetUsd } from './budgets.ts';
import { idParams, timestamp, uuid } from './common.ts';
import { endpoint } from './endpoint.ts';
import { storedName, storedText } from './text.ts';

/** §5.4 of the specification; each rule has its own message so that a form can show which one is missing. */
export const password = z
  .string()
  .min(8, 'must have at least 8 characters')
  .max(1024)
  .regex(/[A-Z]/, 'must contain an uppercase letter A-Z')
  .regex(/[a-z]/, 'must contain a lowercase letter a-z')
  .regex(/[0-9]/, 'must contain a digit 0-9');

export const user = z
  .object({
    id: uuid,
    email: z.string(),
    name: z.string(),
    user_rules: z.string().nullable(),
    daily_budget_usd: budgetUsd.describe(
      'What calls of models in your name may cost in one day; null: no budget.',
    ),
    is_admin: z.boolean(),
    created_at: timestamp,
  })
  .meta({ id: 'User' });
export type User = z.infer<typeof user>;

export const sessionTokens = z
  .object({ access_token: z.string(), refresh_token: z.string(), token_type: z.literal('bearer') })
  .meta({ id: 'SessionTokens' });
export type SessionTokens = z.infer<typeof sessionTokens>;

/** A signed-in browser or client; `current` marks the one that asks. */
export const session = z
  .object({
    id: uuid,
    user_agent: z.string().nullable(),
    client_ip: z.string().nullable(),
    created_at: timestamp,
    last_used_at: timestamp,
    current: z.boolean(),
  })
  .meta({ id: 'Session' });
export type Session = z.infer<typeof session>;

/** The facts that the sign-in page needs before sign-in. */
export const signInPolicy = z
  .object({
    registration_open: z.boolean(),
    /** There are no accounts yet: the first to register becomes administrator. */
    first_account: z.boolean(),
    password: z.object({
      min_length: z.number().int(),
      uppercase: z.boolean(),
      lowercase: z.boolean(),
      digit: z.boolean(),
    }),
  })
  .meta({ id: 'SignInPolicy' });
export type SignInPolicy = z.infer<typeof signInPolicy>;

const tag = 'Sessions';
const email = z.email('must be an e-mail address').max(255);
const refreshBody = z.object({ refresh_token: z.string().max(4096).nullish() }).nullish();

export const register = endpoint({
  id: 'register',
  method: 'POST',
  path: '/api/auth/register',
  tag,
  summary: 'Create an account and sign in',
  auth: 'none',
  body: z.object({ email, password, name: storedName(100) }),
  response: sessionTokens,
  status: 201,
  errors: ['forbidden', 'conflict', 'rate_limited'],
});

export const login = endpoint({
  id: 'login',
  method: 'POST',
  path: '/api/auth/login',
  tag,
  summary: 'Sign in',
  auth: 'none',
  body: z.object({ email: storedText(255), password: z.string().max(1024) }),
  response: sessionTokens,
  errors: ['unauthenticated', 'rate_limited'],
});

export const refresh = endpoint({
  id: 'refresh',
  method: 'POST',
  path: '/api/auth/refresh',
  tag,
  summary: 'Exchange the refresh token for new tokens; the old one is revoked at once',
  auth: 'none',
  body: refreshBody,
  response: sessionTokens,
  errors: ['unauthenticated'],
});

export const logout = endpoint({
  id: 'logout',
  method: 'POST',
  path: '/api/auth/logout',
  tag,
  summary: 'Sign out: end the session, revoke its refresh token and clear the cookies',
  auth: 'none',
  body: refreshBody,
});

export const readSignInPolicy = endpoint({
  id: 'readSignInPolicy',
  method: 'GET',
  path: '/api/auth/policy',
  tag,
  summary: 'Whether people may register, and what a password needs',
  auth: 'none',
  response: signInPolicy,
});

export const me = endpoint({
  id: 'me',
  method: 'GET',
  path: '/api/auth/me',
  tag,
  summary: 'The signed-in user',
  auth: 'session',
  response: user,
});

export const updateMe = endpoint({
  id: 'updateMe',
  method: 'PUT',
  path: '/api/auth/me',
  tag,
  summary: 'Change name or rules of the signed-in user; null leaves a field as it is',
  auth: 'session',
  body: z.object({
    name: storedName(100).nullish(),
    user_rules: storedText(4000).nullish(),
    daily_budget_usd: budgetInput,
  }),
  response: user,
});

export const changePassword = endpoint({
  id: 'changePassword',
  method: 'POST',
  path: '/api/auth/change-password',
  tag,
  summary: 'Change the password; all other sessions of the user end',
  auth: 'session',
  body: z.object({ current_password: z.string().max(1024), new_password: password }),
});

export const listSessions = endpoint({
  id: 'listSessions',
  method: 'GET',
  path: '/api/auth/sessions',
  tag,
  summary: 'Where the user is signed in, last used first',
  auth: 'session',
  response: z.array(session),
});

export const endSession = endpoint({
  id: 'endSession',
  method: 'DELETE',
  path: '/api/auth/sessions/{id}',
  tag,
  summary: 'End one session of the user',
  auth: 'session',
  params: idParams,
  errors: ['not_found'],
});

export const authEndpoints = [
  register,
  login,
  refresh,
  logout,
  readSignInPolicy,
  me,
  updateMe,
  changePassword,
  listSessions,
  endSession,
];
