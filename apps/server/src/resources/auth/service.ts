import type { SessionTokens, SignInPolicy, User } from '@millrace/contracts';
import { AppError, conflict, forbidden, notFound, unauthenticated } from '../../core/app-error.ts';
import { newId } from '../../core/ids.ts';
import { hashPassword, passwordFits } from '../../core/secrets/passwords.ts';
import type { Needs } from '../../services.ts';
import * as queries from './queries.ts';
import { type Caller, issueTokens, storeSession } from './sessions.ts';

type SignIn = Needs<'db' | 'config' | 'secrets' | 'now'>;

const normalised = (email: string): string => email.trim().toLowerCase();

function userRecord(row: queries.UserRow): User {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    user_rules: row.user_rules,
    daily_budget_usd: row.daily_budget_usd,
    is_admin: row.is_admin,
    created_at: row.created_at.toISOString(),
  };
}

async function requireRegistrationOpen(ctx: Needs<'db' | 'config'>): Promise<{ first: boolean }> {
  const first = !(await queries.hasUsers(ctx.db));
  if (!first && !ctx.config.ALLOW_REGISTER) throw forbidden('Registration is closed on this server');
  return { first };
}

/** Makes an account and signs in. The first account becomes administrator and is made even while registration is closed. */
export async function register(
  ctx: SignIn,
  input: { email: string; password: string; name: string },
  caller: Caller,
): Promise<SessionTokens> {
  await requireRegistrationOpen(ctx);
  const password_hash = await hashPassword(input.password);
  const user_id = newId();
  const issued = await issueTokens(ctx, { user_id, session_id: newId() });
  const now = new Date(ctx.now());
  await ctx.db.transaction(async (tx) => {
    await queries.lockRegistration(tx);
    const { first } = await requireRegistrationOpen({ ...ctx, db: tx });
    const row = { id: user_id, email: normalised(input.email), password_hash, name: input.name };
    const inserted = await queries.insertUser(tx, {
      ...row,
      is_admin: first,
      created_at: now,
      updated_at: now,
    });
    if (!inserted) throw conflict('An account with this e-mail address already exists');
    await storeSession(tx, issued, { caller, now });
  });
  return issued.tokens;
}

/** @throws AppError `unauthenticated`, which does not reveal whether there is such an account */
export async function requirePassword(
  ctx: Needs<'db'>,
  input: { email: string; password: string },
): Promise<{ readonly id: string }> {
  const user = await queries.userByEmail(ctx.db, normalised(input.email));
  const fits = await passwordFits(user?.password_hash, input.password);
  if (!user || !fits) throw unauthenticated('E-mail address or password is wrong');
  return user;
}

export async function login(
  ctx: SignIn,
  input: { email: string; password: string },
  caller: Caller,
): Promise<SessionTokens> {
  const user = await requirePassword(ctx, input);
  const issued = await issueTokens(ctx, { user_id: user.id, session_id: newId() });
  const now = new Date(ctx.now());
  await ctx.db.transaction((tx) => storeSession(tx, issued, { caller, now }));
  return issued.tokens;
}

export async function signInPolicy(ctx: Needs<'db' | 'config'>): Promise<SignInPolicy> {
  const first_account = !(await queries.hasUsers(ctx.db));
  return {
    registration_open: first_account || ctx.config.ALLOW_REGISTER,
    first_account,
    password: { min_length: 8, uppercase: true, lowercase: true, digit: true },
  };
}

export async function readMe(ctx: Needs<'db' | 'actor'>): Promise<User> {
  const row = await queries.userById(ctx.db, ctx.actor.user_id);
  if (!row) throw notFound('User');
  return userRecord(row);
}

export async function updateMe(
  ctx: Needs<'db' | 'actor' | 'broadcast' | 'now'>,
  input: {
    name?: string | null | undefined;
    user_rules?: string | null | undefined;
    daily_budget_usd?: number | null | undefined;
  },
): Promise<User> {
  const row = await queries.updateUser(ctx.db, ctx.actor.user_id, {
    ...(input.name ? { name: input.name } : {}),
    ...(typeof input.user_rules === 'string' ? { user_rules: input.user_rules || null } : {}),
    ...(input.daily_budget_usd === undefined ? {} : { daily_budget_usd: input.daily_budget_usd }),
    updated_at: new Date(ctx.now()),
  });
  if (!row) throw notFound('User');
  ctx.broadcast.publish('access_changed', `user:${row.id}`);
  return userRecord(row);
}

/** Sets a new password; all other sessions of the user are signed out. */
export async function changePassword(
  ctx: Needs<'db' | 'actor' | 'broadcast' | 'now'>,
  input: { current_password: string; new_password: string },
): Promise<void> {
  const { user_id, session_id } = ctx.actor;
  const user = await queries.userById(ctx.db, user_id);
  if (!(await passwordFits(user?.password_hash, input.current_password))) {
    throw new AppError('unauthenticated', 'The current password is wrong');
  }
  const password_hash = await hashPassword(input.new_password);
  const now = new Date(ctx.now());
  await ctx.db.transaction(async (tx) => {
    await queries.updateUser(tx, user_id, { password_hash, updated_at: now });
    await queries.endOtherSessions(tx, { user_id, kept_id: session_id, now });
  });
  ctx.broadcast.publish('access_changed', `user:${user_id}`);
}
