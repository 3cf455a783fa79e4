import type { FastifyReply } from 'fastify';
import { AppError } from '../../core/app-error.ts';
import { catchUp } from '../../core/catch-up.ts';
import type { Services } from '../../core/context.ts';

/**
 * Ends a stream as soon as its reader loses access, by a share, a team, a session or a token that was taken back. Every
 * hint about people or workflows, and every change that the clock tells of, makes it ask again; the run itself goes on.
 */
export function endWhenRevoked(
  services: Pick<Services, 'broadcast' | 'changes' | 'log'>,
  reply: FastifyReply,
  stillAllowed: () => Promise<unknown>,
): void {
  const { broadcast, changes, log } = services;
  let asking = false;
  let askAgain = false;
  const ask = async (): Promise<void> => {
    if (asking) {
      askAgain = true;
      return;
    }
    asking = true;
    do {
      askAgain = false;
      await Promise.resolve(catchUp(services))
        .then(stillAllowed)
        .catch((error: unknown) => {
          // A database that is away for a moment says nothing about the reader; the next change asks again.
          if (error instanceof AppError && error.code === 'unavailable') return;
          log.info({ err: error }, 'a stream ended because its reader lost access');
          reply.raw.end();
        });
    } while (askAgain && !reply.raw.writableEnded);
    asking = false;
  };
  const ends = [broadcast.subscribe('access_changed', () => void ask()), changes.watch(() => void ask())];
  reply.raw.once('close', () => ends.forEach((end) => end()));
}
