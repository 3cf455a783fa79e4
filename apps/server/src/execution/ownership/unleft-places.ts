import type { SqlClient } from '../../database/sql-client.ts';
import { leavePlace } from '../store/queue/places.ts';
import { persist } from './persist.ts';

/**
 * Places that this process has to leave. Nobody else frees them while it lives, so each is kept until the database has
 * heard of it.
 */
export interface UnleftPlaces {
  /** @throws what the database answered last; the sweep goes on trying */
  leave(id: string): Promise<void>;
  /** Once for each place that is kept. */
  leaveMissed(): Promise<void>;
}

export function createUnleftPlaces(sql: SqlClient): UnleftPlaces {
  const missed = new Set<string>();
  return {
    async leave(id) {
      try {
        await persist(() => leavePlace(sql, id));
      } catch (error) {
        missed.add(id);
        throw error;
      }
    },
    async leaveMissed() {
      for (const id of missed) {
        await leavePlace(sql, id);
        missed.delete(id);
      }
    },
  };
}
