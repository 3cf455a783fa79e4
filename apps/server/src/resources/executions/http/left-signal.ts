import type { FastifyReply } from 'fastify';
import type { ClientLeft } from '../../../execution/admission/client-left.ts';

/** Aborted when the connection closes before the answer is written. One signal for all looks of a call that waits. */
export function leftSignal({ raw }: FastifyReply): ClientLeft {
  let left: AbortController | undefined;
  return () => {
    if (left) return left.signal;
    const leaving = new AbortController();
    left = leaving;
    if (raw.destroyed) leaving.abort();
    else raw.once('close', () => leaving.abort());
    return leaving.signal;
  };
}
