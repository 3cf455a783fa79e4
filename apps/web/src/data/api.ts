import { refresh } from '@millrace/contracts';
import { buildEndpointUrl, createClient } from '@millrace/contracts/client';
import { askToSignInAgain } from '../session/session.ts';
import { createSessionFetch, type Renewal } from '../session/session-fetch.ts';
import { fetchOrExplain } from './unreachable.ts';

export { ApiError } from '@millrace/contracts/client';

async function exchangeRefreshToken(): Promise<Renewal> {
  try {
    const response = await fetchOrExplain(buildEndpointUrl(refresh, {}), { method: refresh.method });
    if (response.ok) return 'renewed';
    return response.status === 401 ? 'ended' : 'unknown';
  } catch {
    return 'unknown';
  }
}

const RENEWED_AT = 'millrace.renewed_at';

/** Tabs take turns: a refresh token works once, and a tab that comes second finds new cookies already there. */
async function renew(sentAtMs: number): Promise<Renewal> {
  const exchange = async () => {
    const renewedAtMs = Number(localStorage.getItem(RENEWED_AT) ?? 0);
    // Behind the present only by a clock that was set back; then asking once more is the safe way.
    if (renewedAtMs >= sentAtMs && renewedAtMs <= Date.now()) return 'renewed' as const;
    const outcome = await exchangeRefreshToken();
    if (outcome === 'renewed') localStorage.setItem(RENEWED_AT, String(Date.now()));
    return outcome;
  };
  // Absent where the page came over plain HTTP from another machine.
  const locks = (navigator as { locks?: LockManager }).locks;
  return locks ? locks.request('millrace.renew', exchange) : exchange();
}

/** `fetch` with the session: renews it when it has expired, asks for the password when it cannot be renewed. */
export const sessionFetch = createSessionFetch({
  send: fetchOrExplain,
  renew,
  signInAgain: askToSignInAgain,
});

/** Calls an endpoint of the contract with the session. Throws `ApiError`. */
export const api = createClient({ fetch: sessionFetch });
