import { randomBytes } from 'node:crypto';
import { PORTAL_SESSION_HOURS } from '@millrace/contracts';
import { HOUR_MS } from '@millrace/engine/units';
import { AppError, unauthenticated } from '../../core/app-error.ts';
import { passwordFits } from '../../core/secrets/passwords.ts';
import { tokenDigest } from '../../core/secrets/tokens.ts';
import type { AttemptRule } from '../../ports/coordination/attempt-limiter.ts';
import type { Services } from '../../services.ts';
import type { Portal } from './access.ts';
import * as queries from './queries.ts';

const DAY_SECONDS = 24 * 60 * 60;

/** §5.5, §8.2: the third failure within a day starts the ban. Only failures are counted. */
const FAILURES: AttemptRule = {
  name: 'portal-login',
  attempts: 2,
  window_seconds: DAY_SECONDS,
  ban_seconds: DAY_SECONDS,
};

export interface Credentials {
  readonly username: string;
  readonly password: string;
  readonly client_ip: string;
}

export interface PortalSession {
  readonly session_token: string;
  readonly expires_at: string;
}

export type PortalLogin = (portal: Portal, credentials: Credentials) => Promise<PortalSession>;

function banned(seconds: number): AppError {
  return new AppError('rate_limited', 'Too many failed attempts to sign in. Try again later', {
    headers: { 'Retry-After': String(seconds) },
  });
}

/** Works one after another for each key, so that parallel guesses cannot all be checked before the first one is counted. */
function createTurns() {
  const last = new Map<string, Promise<unknown>>();
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const turn = (last.get(key) ?? Promise.resolve()).then(work, work);
    last.set(key, turn);
    try {
      return await turn;
    } finally {
      if (last.get(key) === turn) last.delete(key);
    }
  };
}

/**
 * Checks a name and a password and starts a session of 168 hours, of which only the hash of its token is stored.
 *
 * @throws AppError `unauthenticated` with the number of tries that are left; `rate_limited` from the third failure on
 */
export function createPortalLogin({ database, attempt_limiters, now }: Services): PortalLogin {
  const failures = attempt_limiters(FAILURES);
  const inTurn = createTurns();

  async function failed(key: string): Promise<AppError> {
    const seconds = await failures.count(key);
    if (seconds !== undefined) return banned(seconds);
    const left = (await failures.state(key)).left + 1;
    const tries = `${left} ${left === 1 ? 'try is' : 'tries are'} left`;
    return unauthenticated(`Wrong username or password; ${tries}`, { tries_left: left });
  }

  async function attempt({ row }: Portal, given: Credentials): Promise<PortalSession> {
    // With a new password the owner helps a person who may be locked out, at an address that the owner does not know.
    const counted_from = await queries.findFailuresSince(database.db, row.workflow_id);
    const since = counted_from === null ? '' : `:${counted_from.getTime()}`;
    const key = `${row.workflow_id}:${given.client_ip}${since}`;
    const { wait_seconds } = await failures.state(key);
    if (wait_seconds !== undefined) throw banned(wait_seconds);
    const user = await queries.userByName(database.db, row.workflow_id, given.username);
    if (!(await passwordFits(user?.password_hash, given.password)) || !user) throw await failed(key);
    const session_token = randomBytes(32).toString('base64url');
    const expires_at = new Date(now() + PORTAL_SESSION_HOURS * HOUR_MS);
    const isStored = await queries.insertSession(database.sql, {
      token_hash: tokenDigest(session_token),
      user_id: user.id,
      password_hash: user.password_hash,
      expires_at,
    });
    // The user, the password or the portal has changed while it was checked.
    if (!isStored) throw unauthenticated('Sign in again');
    return { session_token, expires_at: expires_at.toISOString() };
  }

  return (portal, given) => {
    const place = `${portal.row.workflow_id}:${given.client_ip}`;
    return inTurn(place, () => attempt(portal, given));
  };
}
