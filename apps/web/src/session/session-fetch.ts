/** The outcome of an attempt to renew the session: `unknown` when the server could not be asked. */
export type Renewal = 'renewed' | 'ended' | 'unknown';

export interface SessionFetchOptions {
  send: typeof fetch;
  /**
   * Exchanges the refresh token; called once however many requests wait for it.
   *
   * @param sentAtMs when the refused request was sent: a session renewed since then needs no further renewal
   */
  renew: (sentAtMs: number) => Promise<Renewal>;
  /** Asks the person to sign in again in place; true when the waiting requests may be sent once more. */
  signInAgain: () => Promise<boolean>;
  now?: () => number;
}

/** Addresses that answer 401 for their own reasons and must not start a renewal. */
const OWN_401 = /^\/api\/auth\/(login|register|refresh|logout|change-password)(\?|$)/;

const getRequestUrl = (input: RequestInfo | URL): string =>
  input instanceof Request ? input.url : input.toString();

/**
 * `fetch` that survives an expired access token. A 401 starts one renewal that all requests share; each is then
 * sent once more, so nothing that a person did is lost. Only when the session cannot be renewed does the person see it.
 */
export function createSessionFetch({
  send,
  renew,
  signInAgain,
  now = Date.now,
}: SessionFetchOptions): typeof fetch {
  let renewal: Promise<Renewal> | undefined;
  let signIn: Promise<boolean> | undefined;

  const renewOnce = (sentAtMs: number) => {
    renewal ??= renew(sentAtMs).finally(() => {
      renewal = undefined;
    });
    return renewal;
  };
  const signInOnce = () => {
    signIn ??= signInAgain().finally(() => {
      signIn = undefined;
    });
    return signIn;
  };

  return async (input, init) => {
    const sentAtMs = now();
    const response = await send(input, init);
    if (response.status !== 401 || OWN_401.test(getRequestUrl(input))) return response;
    const outcome = await renewOnce(sentAtMs);
    if (outcome === 'renewed') return send(input, init);
    if (outcome === 'unknown') return response;
    return (await signInOnce()) ? send(input, init) : response;
  };
}
