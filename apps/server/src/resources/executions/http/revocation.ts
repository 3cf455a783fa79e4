import type { FastifyReply } from 'fastify';
import { AppError } from '../../../core/app-error.ts';
import { catchUp } from '../../../core/catch-up.ts';
import { isConnectionLoss } from '../../../database/connection-loss.ts';
import type { Services } from '../../../services.ts';

/**
 * Ends a stream as soon as its reader loses access, because a share, team membership, session or token was revoked. Access
 * is checked again on every hint about people or workflows and on every change of the clock; the run itself continues.
 *
 * @param subject `user:<id>` when access depends on nothing but this person; hints about others are passed over
 */
export function endWhenRevoked(
  services: Pick<Services, 'broadcast' | 'changes' | 'log'>,
  reply: FastifyReply,
  stillAllowed: () => Promise<unknown>,
  subject?: string,
): void {
  // There is no event for a reader that left before this.
  if (reply.raw.destroyed) return;
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
          if (isConnectionLoss(error) || (error instanceof AppError && error.code === 'unavailable')) return;
          log.info({ err: error }, 'a stream ended because its reader lost access');
          reply.raw.end();
        });
    } while (askAgain && !reply.raw.writableEnded);
    asking = false;
  };
  const hear = (changed: string) => {
    if (subject === undefined || changed === subject) void ask();
  };
  const ends = [broadcast.subscribe('access_changed', hear), changes.watch(() => void ask())];
  reply.raw.once('close', () => ends.forEach((end) => end()));
}
