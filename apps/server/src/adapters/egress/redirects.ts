import type { EgressRequest } from '@millrace/nodes/runtime';

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Headers that describe a body, and go with it. */
const OF_THE_BODY = /^(content-.*|transfer-encoding)$/i;
/** Headers that prove who calls: standard ones, and custom ones by the words that their names hold. */
const SECRET =
  /auth|cookie|token|secret|session|signature|credential|passw|csrf|(^|[-_])(api|access|private)[-_]?key|[-_]key$/i;
const NOT_SECRET = new Set(['idempotency-key', 'sec-websocket-key']);

export function isRedirect(status: number): boolean {
  return REDIRECTS.has(status);
}

/** The request that follows a redirect: WHATWG Fetch, HTTP-redirect fetch. */
export function redirected(request: EgressRequest, status: number, from: URL, to: URL): EgressRequest {
  const { body, ...next } = request;
  const becomesGet =
    (status === 303 && request.method !== 'HEAD') ||
    ((status === 301 || status === 302) && request.method === 'POST');
  let headers = request.headers;
  if (becomesGet) headers = headers.filter(([name]) => !OF_THE_BODY.test(name));
  if (from.origin !== to.origin) {
    const { holdsSecret } = request;
    headers = headers.filter(([name, value]) => !belongsToOrigin(name) && holdsSecret?.(value) !== true);
  }
  const keepsBody = !becomesGet && body !== undefined;
  return {
    ...next,
    url: to.href,
    method: becomesGet ? 'GET' : request.method,
    headers,
    ...(keepsBody ? { body } : {}),
  };
}

function belongsToOrigin(name: string): boolean {
  const lower = name.toLowerCase();
  return lower === 'host' || (SECRET.test(lower) && !NOT_SECRET.has(lower));
}
