import { APICallError } from '@ai-sdk/provider';
import { FailedAttempt, findWords, parsed, refusedAttempt } from '../answer/refusal.ts';

export const cutOff = (title: string) =>
  new FailedAttempt(
    { kind: 'upstream', message: `${title} ended the connection before the answer was complete` },
    null,
  );

/** How the library of compatible servers words a stream without its end. */
const NO_FINISH = 'Response stream ended without a finish reason.';

/**
 * An error from a provider's library, in our words: our own failures as they are, errors inside a stream by what they
 * say.
 */
export function explained(title: string, error: unknown, now_ms: number): unknown {
  if (error instanceof FailedAttempt) return error;
  if (APICallError.isInstance(error)) {
    if (error.cause instanceof FailedAttempt) return error.cause;
    const text = error.responseBody ?? error.message;
    // Anthropic's library reports what it cannot read in the first event as a refusal of the server.
    const isOwn = text.includes('"AI_');
    if (!isOwn && error.statusCode !== undefined && error.statusCode >= 400) {
      return refusedAttempt(title, { status: error.statusCode, headers: {}, text }, now_ms);
    }
  }
  if (error instanceof Error && error.name.startsWith('AI_')) {
    if (error.message === NO_FINISH) return cutOff(title);
    const message = `${title} returned an answer that cannot be read`;
    return new FailedAttempt({ kind: 'upstream', message }, null, error);
  }
  if (error instanceof Error) return error;
  return streamError(title, error);
}

const OVERLOAD = /overload|rate.?limit|unavailable|server.?error|timeout|api_error/i;

/** An error that a provider sends as an event of the stream: `{type, message}`, `{error: {...}}` or text. */
function streamError(title: string, error: unknown): FailedAttempt {
  const value = typeof error === 'string' ? parsed(error) : error;
  const said = findWords(value);
  const message = `${title} interrupted the answer${said === undefined ? '' : `: ${said}`}`;
  const canRecover = OVERLOAD.test(JSON.stringify(value) ?? '');
  return new FailedAttempt({ kind: 'upstream', message }, canRecover ? null : undefined);
}
