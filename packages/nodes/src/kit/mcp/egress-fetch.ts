import { MEGABYTE } from '@millrace/engine/units';
import type { Egress } from '../../services.ts';

export type EgressFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

const MAX_ANSWER_BYTES = 50 * MEGABYTE;
/** Their answers have no body (Fetch standard, "null body status"). */
const WITHOUT_BODY = new Set([204, 205, 304]);
/** Of the wire, not of the content that the client has decoded. */
const LEFT_OUT = new Set(['set-cookie', 'content-encoding', 'content-length', 'transfer-encoding']);

export interface FetchLimits {
  /** Epoch milliseconds after which nothing is waited for. */
  readonly ends_at_ms: number;
  readonly now: () => number;
  /** Of one answer; 50 MB when it is absent. */
  readonly max_answer_bytes?: number;
  /** Closes everything that is still open. */
  readonly signal: AbortSignal;
  /** Why a request did not get out or an answer did not come in. */
  readonly onError: (error: unknown) => void;
}

/**
 * `fetch` for libraries that bring their own protocol, over the guarded way out: private addresses are refused at the
 * moment of connecting. Redirects are answers; it is up to the library where it goes.
 */
export function egressFetch(http: Egress, limits: FetchLimits): EgressFetch {
  return async (url, init = {}) => {
    const { signal, ...rest } = init;
    const request = new Request(url, rest);
    try {
      const answer = await http.request({
        method: request.method,
        url: request.url,
        headers: [...request.headers],
        ...(request.body === null ? {} : { body: new Uint8Array(await request.arrayBuffer()) }),
        timeout_ms: Math.max(limits.ends_at_ms - limits.now(), 1),
        max_response_bytes: limits.max_answer_bytes ?? MAX_ANSWER_BYTES,
        follow_redirects: false,
        signal: signal ? AbortSignal.any([signal, limits.signal]) : limits.signal,
      });
      const headers = Object.entries(answer.headers).filter(([name]) => !LEFT_OUT.has(name));
      const hasBody = !WITHOUT_BODY.has(answer.status);
      if (!hasBody) await answer.body[Symbol.asyncIterator]().return?.();
      const body = hasBody ? toStream(answer.body, limits.onError) : null;
      return new Response(body, { status: answer.status, headers });
    } catch (error) {
      limits.onError(error);
      throw error;
    }
  };
}

/** A body that is read as fast as it is asked for; the connection is closed when reading stops. */
function toStream(body: AsyncIterable<Uint8Array>, onError: (error: unknown) => void) {
  const chunks = body[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        onError(error);
        controller.error(error);
      }
    },
    async cancel() {
      await chunks.return?.();
    },
  });
}
