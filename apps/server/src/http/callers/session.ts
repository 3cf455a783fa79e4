import type { SessionTokens } from '@millrace/contracts';
import { DAY_SECONDS } from '@millrace/engine/units';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config.ts';
import { catchUp } from '../../core/catch-up.ts';
import { bearerToken } from '../../core/secrets/bearer.ts';
import { verifyAccessToken } from '../../resources/auth/access-tokens.ts';
import type { Services } from '../../services.ts';
import type { Authenticate } from '../bind.ts';

const ACCESS = { name: 'access_token', path: '/' } as const;
/** §5.3: the refresh token travels to the one address that needs it. */
const REFRESH = { name: 'refresh_token', path: '/api/auth/refresh' } as const;

type Presented = Pick<FastifyRequest, 'headers' | 'cookies'>;

/** `Authorization` first; a request that has one is judged by it alone, else the cookie counts. */
export function givenAccessToken({ headers, cookies }: Presented): string | undefined {
  if (headers.authorization !== undefined) return bearerToken(headers.authorization);
  return cookies[ACCESS.name];
}

export const givenRefreshToken = (request: FastifyRequest): string | undefined =>
  request.cookies[REFRESH.name];

/** `createAuthenticate` for requests that have caught up before. */
export function createSessionLookup(services: Services): Authenticate {
  return (presented) => {
    const token = givenAccessToken(presented);
    return token === undefined ? Promise.resolve(undefined) : verifyAccessToken(services, token);
  };
}

/** Finds the signed-in user of a request: `Authorization: Bearer` first, else the cookie `access_token` (§5.3). */
export function createAuthenticate(services: Services): Authenticate {
  const lookUp = createSessionLookup(services);
  return async (request) => {
    await catchUp(services);
    return lookUp(request);
  };
}

function cookieOptions(config: Config, path: string) {
  const secure = config.PUBLIC_URL?.toLowerCase().startsWith('https:') ?? false;
  return { path, httpOnly: true, sameSite: 'lax', secure } as const;
}

export function setSessionCookies(reply: FastifyReply, config: Config, tokens: SessionTokens): void {
  reply.setCookie(ACCESS.name, tokens.access_token, {
    ...cookieOptions(config, ACCESS.path),
    maxAge: config.ACCESS_TOKEN_MINUTES * 60,
  });
  reply.setCookie(REFRESH.name, tokens.refresh_token, {
    ...cookieOptions(config, REFRESH.path),
    maxAge: config.REFRESH_TOKEN_DAYS * DAY_SECONDS,
  });
}

export function clearSessionCookies(reply: FastifyReply, config: Config): void {
  for (const { name, path } of [ACCESS, REFRESH]) reply.clearCookie(name, cookieOptions(config, path));
}
