import type { FastifyReply } from 'fastify';
import type { ClientLeft } from '../../../execution/admission/client-left.ts';

/** Aborted when the connection closes before the answer is written. */
export function leftSignal({ raw }: FastifyReply): ClientLeft {
  return () => {
    const left = new AbortController();
    if (raw.destroyed) left.abort();
    else raw.once('close', () => left.abort());
    return left.signal;
  };
}
