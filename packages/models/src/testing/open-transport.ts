import { NodeFailure } from '@millrace/engine';
import type { ModelTransport, TransportRequest } from '../model-service.ts';

/** A way to servers of tests on this machine, with the promises of the egress client but without its guard. */
export function openTransport(): ModelTransport {
  return {
    async request(request) {
      const { method, url, headers, body, timeout_ms } = request;
      const deadline = AbortSignal.timeout(timeout_ms);
      const fail = failureFor(request, deadline);
      const response = await fetch(url, {
        method,
        headers: headers.map(([name, value]): [string, string] => [name, value]),
        redirect: 'manual',
        signal: AbortSignal.any([request.signal, deadline]),
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }),
      }).catch(fail);
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: (async function* () {
          try {
            for await (const chunk of response.body ?? []) yield chunk as Uint8Array;
          } catch {
            fail();
          }
        })(),
      };
    },
  };
}

const failureFor =
  ({ signal, timeout_ms }: TransportRequest, deadline: AbortSignal) =>
  (): never => {
    if (signal.aborted) throw new NodeFailure({ kind: 'cancelled', message: 'The run was cancelled' });
    if (deadline.aborted) {
      throw new NodeFailure({ kind: 'timeout', message: `no complete answer within ${timeout_ms / 1000} s` });
    }
    throw new NodeFailure({ kind: 'upstream', message: 'the connection was closed' });
  };
