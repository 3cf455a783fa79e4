import type { Session, SessionTokens } from '@millrace/contracts';
import { DAY_MS, DAY_SECONDS } from '@millrace/engine/units';
import { notFound, unauthenticated } from '../../core/app-error.ts';
import { newId } from '../../core/ids.ts';
import { accessToken, refreshToken, signToken, tokenDigest, verifyToken } from '../../core/secrets/tokens.ts';
import type { Db } from '../../database/database.ts';
import type { Needs, Services } from '../../services.ts';
import * as queries from './queries.ts';

/**
 * Two tabs may send the same refresh token at the same moment. The one that comes second is refused, but that alone
 * is no theft: only a replay later than this ends the session.
 */
const SIMULTANEOUS_MS = 5_000;

export interface IssuedTokens {
  readonly tokens: SessionTokens;
  readonly stored: { token_hash: string; session_id: string; user_id: string; expires_at: Date };
}

export interface Caller {
  readonly user_agent: string | undefined;
  readonly client_ip: string;
}

/** Signs tokens of a session; nothing is written yet, for signing must not hold a transaction open. */
export async function issueTokens(
  ctx: Needs<'config' | 'secrets' | 'now'>,
  { user_id, session_id }: { user_id: string; session_id: string },
): Promise<IssuedTokens> {
  const secret = ctx.secrets.secret_key;
  const seconds = Math.floor(ctx.now() / 1000);
  const refreshExp = seconds + ctx.config.REFRESH_TOKEN_DAYS * DAY_SECONDS;
  const of = { sub: user_id, sid: session_id };
  const access_token = await signToken(
    accessToken,
    { ...of, type: 'access', exp: seconds + ctx.config.ACCESS_TOKEN_MINUTES * 60 },
    secret,
  );
  const refresh_token = await signToken(
    refreshToken,
    { ...of, jti: newId(), type: 'refresh', exp: refreshExp },
    secret,
  );
  return {
    tokens: { access_token, refresh_token, token_type: 'bearer' },
    stored: {
      token_hash: tokenDigest(refresh_token),
      session_id,
      user_id,
      expires_at: new Date(refreshExp * 1000),
    },
  };
}

/** Writes a new session with its first refresh token. */
export async function storeSession(
  db: Db,
  { stored }: IssuedTokens,
  { caller, now }: { caller: Caller; now: Date },
): Promise<void> {
  await queries.insertSession(db, {
    id: stored.session_id,
    user_id: stored.user_id,
    user_agent: caller.user_agent?.slice(0, 512) ?? null,
    client_ip: caller.client_ip,
    created_at: now,
    last_used_at: now,
  });
  await queries.insertRefreshToken(db, { ...stored, created_at: now });
}

const refused = () => unauthenticated('The refresh token is not valid. Sign in again');

/** §5.3: the given token is revoked at once and replaced; a used one answers 401. */
export async function rotate(
  ctx: Needs<'db' | 'config' | 'secrets' | 'broadcast' | 'now'>,
  token: string | undefined,
): Promise<SessionTokens> {
  const claims = await verifyToken(refreshToken, token, { secret: ctx.secrets.secret_key, now: ctx.now() });
  if (!claims || token === undefined) throw refused();
  const issued = await issueTokens(ctx, { user_id: claims.sub, session_id: claims.sid });
  const now = new Date(ctx.now());
  const token_hash = tokenDigest(token);
  const won = await ctx.db.transaction(async (tx) => {
    if (!(await queries.useRefreshToken(tx, token_hash, now))) return false;
    await queries.insertRefreshToken(tx, { ...issued.stored, created_at: now });
    await queries.touchSession(tx, claims.sid, now);
    return true;
  });
  if (won) return issued.tokens;
  await endReplayedSession(ctx, token_hash);
  throw refused();
}

async function endReplayedSession(ctx: Needs<'db' | 'broadcast' | 'now'>, token_hash: string): Promise<void> {
  const row = await queries.refreshTokenByHash(ctx.db, token_hash);
  if (!row?.used_at || ctx.now() - row.used_at.getTime() <= SIMULTANEOUS_MS) return;
  await end(ctx, row);
}

async function end(
  ctx: Needs<'db' | 'broadcast' | 'now'>,
  { session_id, user_id }: { session_id: string; user_id: string },
): Promise<boolean> {
  const ended = await queries.endSession(ctx.db, { session_id, user_id, now: new Date(ctx.now()) });
  if (ended) ctx.broadcast.publish('access_changed', `user:${user_id}`);
  return ended;
}

/** Ends the session that the tokens name, whichever of them is still good; none is no error. */
export async function signOut(
  ctx: Needs<'db' | 'secrets' | 'broadcast' | 'now'>,
  given: { access_token: string | undefined; refresh_token: string | undefined },
): Promise<void> {
  const options = { secret: ctx.secrets.secret_key, now: ctx.now() };
  const claims =
    (await verifyToken(accessToken, given.access_token, options)) ??
    (await verifyToken(refreshToken, given.refresh_token, options));
  if (claims) await end(ctx, { session_id: claims.sid, user_id: claims.sub });
}

export async function listSessions(ctx: Needs<'db' | 'config' | 'actor' | 'now'>): Promise<Session[]> {
  const since = new Date(ctx.now() - ctx.config.REFRESH_TOKEN_DAYS * DAY_MS);
  const rows = await queries.openSessions(ctx.db, ctx.actor.user_id, since);
  return rows.map((row) => ({
    id: row.id,
    user_agent: row.user_agent,
    client_ip: row.client_ip,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at.toISOString(),
    current: row.id === ctx.actor.session_id,
  }));
}

/** Removes what can open nothing any more, for the daily job. */
export async function purgeSessions({
  database,
  config,
  now,
}: Pick<Services, 'database' | 'config' | 'now'>): Promise<{ sessions: number; refresh_tokens: number }> {
  const { db } = database;
  const unused_since = new Date(now() - config.REFRESH_TOKEN_DAYS * DAY_MS);
  const sessions = await queries.deleteOverSessions(db, unused_since);
  return { sessions, refresh_tokens: await queries.deleteExpiredRefreshTokens(db, new Date(now())) };
}

export async function endSession(
  ctx: Needs<'db' | 'actor' | 'broadcast' | 'now'>,
  session_id: string,
): Promise<void> {
  if (!(await end(ctx, { session_id, user_id: ctx.actor.user_id }))) throw notFound('Session');
}
