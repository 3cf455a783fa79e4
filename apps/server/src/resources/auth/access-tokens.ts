import type { Actor } from '../../core/actor.ts';
import { accessToken, verifyToken } from '../../core/secrets/tokens.ts';
import { createTokenCache, type TokenCache } from '../../core/secrets/tokens-cache.ts';
import type { Services } from '../../services.ts';
import { userOfSession } from './queries.ts';

const caches = new WeakMap<Services, TokenCache<Actor>>();

function getCache(services: Services): TokenCache<Actor> {
  const known = caches.get(services);
  if (known) return known;
  const created = createTokenCache<Actor>(services);
  caches.set(services, created);
  return created;
}

/** The signed-in person of an access token; absent for every other token, ended sessions and deleted users. */
export async function verifyAccessToken(services: Services, token: string): Promise<Actor | undefined> {
  const verified = await getCache(services).read(token, async () => {
    const claims = await verifyToken(accessToken, token, {
      secret: services.secrets.secret_key,
      now: services.now(),
    });
    if (!claims) return undefined;
    const user = await userOfSession(services.database.db, claims.sid, claims.sub);
    if (!user) return undefined;
    const { id, email, name, is_admin } = user;
    return {
      value: { user_id: id, email, name, is_admin, session_id: claims.sid },
      exp: claims.exp,
      subjects: [`user:${id}`],
    };
  });
  return verified?.value;
}
