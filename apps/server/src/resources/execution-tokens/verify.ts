import { executionToken, verifyToken } from '../../core/secrets/tokens.ts';
import { createTokenCache, type TokenCache } from '../../core/secrets/tokens-cache.ts';
import type { Services } from '../../services.ts';
import { canSeeWorkflow } from '../workflows/access.ts';
import { isTokenInForce } from './queries.ts';

export interface VerifiedExecutionToken {
  /** The maker, whom the run is attributed to. */
  readonly user_id: string;
  readonly token_id: string;
}

interface Verdict extends VerifiedExecutionToken {
  readonly workflow_id: string;
}

const caches = new WeakMap<Services, TokenCache<Verdict>>();

function getCache(services: Services): TokenCache<Verdict> {
  const known = caches.get(services);
  if (known) return known;
  const created = createTokenCache<Verdict>(services);
  caches.set(services, created);
  return created;
}

async function verify({ secrets, now, database }: Services, token: string) {
  const claims = await verifyToken(executionToken, token, { secret: secrets.secret_key, now: now() });
  if (!claims) return undefined;
  const { sub: user_id, wid: workflow_id, jti, exp } = claims;
  if (!(await isTokenInForce(database.db, { jti, workflow_id, user_id }))) return undefined;
  // A user who lost access to the workflow cannot call it with a token created before.
  if (!(await canSeeWorkflow(database.db, user_id, workflow_id))) return undefined;
  return {
    value: { user_id, workflow_id, token_id: jti },
    exp,
    subjects: [`user:${user_id}`, `workflow:${workflow_id}`],
  };
}

/**
 * The maker of an execution token, if it may call that workflow (§5.2 rule 2): signature, expiry, workflow and
 * revocation. Known tokens are answered from memory; revoking one is felt at once.
 */
export async function verifyExecutionToken(
  services: Services,
  token: string,
  workflow_id: string,
): Promise<VerifiedExecutionToken | undefined> {
  const verdict = await getCache(services).read(token, () => verify(services, token));
  return verdict?.value.workflow_id === workflow_id.toLowerCase() ? verdict.value : undefined;
}
