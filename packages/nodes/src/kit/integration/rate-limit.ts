interface Limited {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Used when a service limits calls and does not say for how long. */
const USUAL_PAUSE_MS = 2_000;

/**
 * Milliseconds until a limited call may be sent again; undefined when the answer is no limit.
 *
 * Read are `Retry-After` in seconds or as a date (RFC 9110 section 10.2.3), and for 429 and for a 403 without calls left
 * the epoch seconds of `x-ratelimit-reset`, as GitHub sends them, or `x-sentry-rate-limit-reset`.
 */
export function pauseAfter({ status, headers }: Limited, now_ms: number): number | undefined {
  const retry_after = headers['retry-after'];
  const isSpent = headers['x-ratelimit-remaining'] === '0';
  const isLimit = status === 429 || (status === 403 && (isSpent || retry_after !== undefined));
  if (!isLimit && !(status === 503 && retry_after !== undefined)) return undefined;
  return (
    fromRetryAfter(retry_after, now_ms) ??
    fromReset(headers['x-ratelimit-reset'] ?? headers['x-sentry-rate-limit-reset'], now_ms) ??
    USUAL_PAUSE_MS
  );
}

function fromRetryAfter(text: string | undefined, now_ms: number): number | undefined {
  if (text === undefined || text.trim() === '') return undefined;
  const seconds = Number(text);
  const pause_ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(text) - now_ms;
  return Number.isFinite(pause_ms) ? Math.max(pause_ms, 0) : undefined;
}

function fromReset(text: string | undefined, now_ms: number): number | undefined {
  const seconds = Number(text);
  return text === undefined || !Number.isFinite(seconds) ? undefined : Math.max(seconds * 1000 - now_ms, 0);
}

/**
 * Whether a limited call may be sent again. One that was refused for its number was not carried out (RFC 6585 section 4), so
 * that even an unsafe one may; a 503 does not say so.
 */
export const maySendAgain = (status: number, mayRepeat: boolean): boolean => mayRepeat || status !== 503;
